#include "engine/torch/cuda.hpp"

#include <cstring>
#include <utility>

#include <dlfcn.h>

#include "engine/torch/failure.hpp"

namespace neph::engine::torch_plugin {
namespace {

constexpr unsigned beside_the_default_stream = 1;  // cudaStreamNonBlocking
constexpr unsigned without_times = 2;              // cudaEventDisableTiming

template <class Function>
Status find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr)
    return fail(ErrorCode::unsupported, "torch's part for GPUs has no function {}", name);
  return {};
}

}  // namespace

Result<Cuda> find_cuda(const Library& library) {
  const auto file = library.folder / "lib/libtorch_cuda.so";
  void* const opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (opened == nullptr) return fail(ErrorCode::unsupported, "{} is not loaded", file.string());
  Cuda cuda;
  NEPH_CHECK(find(opened, "cudaSetDevice", cuda.set_device));
  NEPH_CHECK(find(opened, "cudaDeviceSynchronize", cuda.synchronize));
  NEPH_CHECK(find(opened, "cudaStreamCreateWithFlags", cuda.new_stream));
  NEPH_CHECK(find(opened, "cudaHostAlloc", cuda.allocate));
  NEPH_CHECK(find(opened, "cudaFreeHost", cuda.free));
  NEPH_CHECK(find(opened, "cudaEventCreateWithFlags", cuda.new_event));
  NEPH_CHECK(find(opened, "cudaEventDestroy", cuda.delete_event));
  NEPH_CHECK(find(opened, "cudaEventRecord", cuda.record));
  NEPH_CHECK(find(opened, "cudaEventSynchronize", cuda.wait_for));
  NEPH_CHECK(find(opened, "aoti_torch_get_current_cuda_stream", cuda.stream));
  NEPH_CHECK(find(opened, "aoti_torch_create_cuda_stream_guard", cuda.use_stream));
  return cuda;
}

void compute_beside(const Cuda& cuda, std::int32_t device) {
  thread_local std::int32_t set_here = -1;
  if (set_here == device) return;
  void* stream = nullptr;
  void* until_the_thread_ends = nullptr;
  if (cuda.set_device(device) != 0 || cuda.new_stream(&stream, beside_the_default_stream) != 0 ||
      cuda.use_stream(stream, device, &until_the_thread_ends) != 0)
    throw Failure("a stream of the GPU");
  set_here = device;
}

void wait_for_gpu(const Cuda& cuda) {
  if (cuda.synchronize() != 0) throw Failure("waiting for the GPU");
}

Staging::~Staging() {
  for (auto& part : parts_) {
    if (part.taken != nullptr) cuda_.wait_for(part.taken), cuda_.delete_event(part.taken);
    if (part.memory != nullptr) cuda_.free(part.memory);
  }
}

void Staging::begin(std::size_t bytes) {
  now_ = (now_ + 1) % parts_.size();
  used_ = 0;
  auto& part = parts_[now_];
  if (part.taken == nullptr && cuda_.new_event(&part.taken, without_times) != 0)
    throw Failure("an event of the GPU");
  if (cuda_.wait_for(part.taken) != 0) throw Failure("waiting for the GPU");
  if (part.bytes >= bytes) return;
  if (part.memory != nullptr) cuda_.free(std::exchange(part.memory, nullptr));
  part.bytes = 0;
  if (cuda_.allocate(&part.memory, bytes, 0) != 0) throw Failure("memory that the GPU reads");
  part.bytes = bytes;
}

const void* Staging::put(const void* data, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const auto& part = parts_[now_];
  auto* const to = static_cast<std::byte*>(part.memory) + used_;
  used_ += (bytes + line - 1) / line * line;
  if (used_ > part.bytes) throw Failure("more in a batch than was said");
  std::memcpy(to, data, bytes);
  return to;
}

void Staging::end() {
  void* stream = nullptr;
  if (cuda_.stream(device_, &stream) != 0 || cuda_.record(parts_[now_].taken, stream) != 0)
    throw Failure("an event of the GPU");
}

}  // namespace neph::engine::torch_plugin
