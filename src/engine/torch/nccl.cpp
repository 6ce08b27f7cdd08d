// NCCL, NVIDIA's library of exchanges among GPUs: opened where torch has it, with the few functions and types
// of its own that are needed declared here (as nccl.h of NCCL 2 has them), and on the stream that torch
// computes on. Not tried yet: no machine with two GPUs was at hand.
#include <array>
#include <cstring>

#include <dlfcn.h>

#include "engine/torch/cuda.hpp"
#include "engine/torch/gradients.hpp"

namespace neph::engine::torch_plugin {
namespace {

using Communicator = struct ncclComm*;
struct UniqueId {
  std::array<char, 128> bytes;
};
constexpr int nccl_float32 = 7;
constexpr int nccl_sum = 0;
constexpr int nccl_success = 0;

/// Each member with the function that it is.
struct Nccl {
  int (*unique_id)(UniqueId*) = nullptr;
  int (*begin)(Communicator*, int ranks, UniqueId, int rank) = nullptr;
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation, Communicator,
                    void* stream) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*end)(Communicator) = nullptr;
  int (*abort)(Communicator) = nullptr;  ///< ends it without waiting for what is under way
  const char* (*text)(int code) = nullptr;
};

template <class Function>
Status find(void* library, const char* where, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) return fail(ErrorCode::unsupported, "{} has no function {}", where, name);
  return {};
}

/// torch's own copy is in the process already, as libtorch_cuda.so needs it.
Result<Nccl> open_nccl(const Library& library) {
  constexpr const char* name = "libnccl.so.2";
  void* opened = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const auto beside = library.folder.parent_path() / "nvidia/nccl/lib" / name;
  if (opened == nullptr) opened = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr)
    return fail(ErrorCode::not_found, "several GPUs need NCCL ({}), and neither the system nor {} has it",
                name, beside.string());
  Nccl nccl;
  NEPH_CHECK(find(opened, name, "ncclGetUniqueId", nccl.unique_id));
  NEPH_CHECK(find(opened, name, "ncclCommInitRank", nccl.begin));
  NEPH_CHECK(find(opened, name, "ncclAllReduce", nccl.all_reduce));
  NEPH_CHECK(find(opened, name, "ncclGroupStart", nccl.group_start));
  NEPH_CHECK(find(opened, name, "ncclGroupEnd", nccl.group_end));
  NEPH_CHECK(find(opened, name, "ncclCommDestroy", nccl.end));
  NEPH_CHECK(find(opened, name, "ncclCommAbort", nccl.abort));
  NEPH_CHECK(find(opened, name, "ncclGetErrorString", nccl.text));
  return nccl;
}

class NcclGradients final : public Gradients {
 public:
  NcclGradients(const Nccl& nccl, const Cuda& cuda, std::int32_t device)
      : nccl_(nccl), cuda_(cuda), device_(device) {}
  ~NcclGradients() override {
    if (communicator_ != nullptr) (has_failed_ ? nccl_.abort : nccl_.end)(communicator_);
  }
  NcclGradients(const NcclGradients&) = delete;
  NcclGradients& operator=(const NcclGradients&) = delete;

  std::string way() const override { return "NCCL"; }

  /// All ranks meet here, with the number of their group that rank 0 has drawn.
  Status meet(Exchange& exchange) {
    UniqueId id{};
    if (exchange.rank() == 0) NEPH_CHECK(well(nccl_.unique_id(&id), "ncclGetUniqueId"));
    NEPH_CHECK(exchange.from_rank_0(std::as_writable_bytes(std::span(id.bytes))));
    if (cuda_.set_device(device_) != 0)
      return fail(ErrorCode::unavailable, "the GPU {} cannot be used", device_);
    return well(nccl_.begin(&communicator_, static_cast<int>(exchange.ranks()), id,
                            static_cast<int>(exchange.rank())),
                "ncclCommInitRank");
  }

  Status mean(const Ops& ops, std::vector<Parameter>& parameters, Tensor& loss, Portion portion) override {
    const Row row(parameters);
    const Sizes sizes{row.count()};
    auto all = ops.filled(sizes, Sizes{1}, 0);
    if (portion.count > 0) {
      for_each(ops, row, parameters, all, [&](Parameter& parameter, const Tensor& place) {
        if (parameter.gradient) ops.copy(place, parameter.gradient);
      });
      ops.copy(ops.view(all, Sizes{}, Sizes{}, row.loss), loss);
      const double share = static_cast<double>(portion.count) / static_cast<double>(portion.whole);
      all = ops.multiply(all, ops.filled(Sizes{1}, Sizes{1}, share));
    }
    NEPH_CHECK(sum(all, row.count()));
    for_each(ops, row, parameters, all,
             [](Parameter& parameter, const Tensor& place) { parameter.gradient = place; });
    loss = ops.view(all, Sizes{}, Sizes{}, row.loss);
    return {};
  }

 private:
  template <class Do>
  static void for_each(const Ops& ops, const Row& row, std::vector<Parameter>& parameters, const Tensor& all,
                       Do&& each) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (row.begin[i] >= 0) {
        const auto& value = parameters[i].value;
        each(parameters[i], ops.view(all, value.sizes(), value.strides(), row.begin[i]));
      }
  }

  /// Of all ranks, on the stream of the backward pass: the update behind it waits by itself.
  Status sum(const Tensor& all, std::int64_t count) {
    void* stream = nullptr;
    if (cuda_.stream(device_, &stream) != 0)
      return fail(ErrorCode::unsupported, "torch does not tell its stream of the GPU {}", device_);
    NEPH_CHECK(well(nccl_.group_start(), "ncclGroupStart"));
    NEPH_CHECK(well(nccl_.all_reduce(all.data(), all.data(), static_cast<std::size_t>(count), nccl_float32,
                                     nccl_sum, communicator_, stream),
                    "ncclAllReduce"));
    return well(nccl_.group_end(), "ncclGroupEnd");
  }

  Status well(int code, const char* what) {
    if (code == nccl_success) return {};
    has_failed_ = true;
    return fail(ErrorCode::unavailable, "NCCL: {} failed: {}", what, nccl_.text(code));
  }

  Nccl nccl_;
  Cuda cuda_;
  std::int32_t device_;
  Communicator communicator_ = nullptr;
  bool has_failed_ = false;  ///< a rank may be gone, for which an orderly end would wait
};

}  // namespace

Result<std::unique_ptr<Gradients>> nccl_gradients(const Library& library, const Place& place,
                                                  Exchange& exchange) {
  NEPH_TRY(const auto nccl, open_nccl(library));
  NEPH_TRY(const auto cuda, find_cuda(library));
  auto made = std::make_unique<NcclGradients>(nccl, cuda, place.index);
  NEPH_CHECK(made->meet(exchange));
  return made;
}

}  // namespace neph::engine::torch_plugin
