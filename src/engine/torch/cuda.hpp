// What torch's part for GPUs brings besides its operators: CUDA's runtime and torch's streams, by C functions
// that stay the same from release to release. Found by name where that part is open (library.hpp).
//
// Threads: any. Ownership: a table; streams stay to the end of the process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/torch/library.hpp"

namespace neph::engine::torch_plugin {

struct Cuda {
  int (*set_device)(int) = nullptr;                            ///< cudaSetDevice, of the calling thread
  int (*synchronize)() = nullptr;                              ///< cudaDeviceSynchronize
  int (*new_stream)(void** stream, unsigned flags) = nullptr;  ///< cudaStreamCreateWithFlags
  int (*allocate)(void** memory, std::size_t bytes, unsigned flags) = nullptr;  ///< cudaHostAlloc
  int (*free)(void* memory) = nullptr;                                          ///< cudaFreeHost
  int (*new_event)(void** event, unsigned flags) = nullptr;                     ///< cudaEventCreateWithFlags
  int (*delete_event)(void* event) = nullptr;
  int (*record)(void* event, void* stream) = nullptr;  ///< cudaEventRecord
  int (*wait_for)(void* event) = nullptr;              ///< cudaEventSynchronize
  std::int32_t (*stream)(std::int32_t device,
                         void** stream) = nullptr;  ///< aoti_torch_get_current_cuda_stream
  /// aoti_torch_create_cuda_stream_guard
  std::int32_t (*use_stream)(void* stream, std::int32_t device, void** guard) = nullptr;
};

/// Errors: unsupported (torch's part for GPUs is not open, or lacks a function, by its name).
Result<Cuda> find_cuda(const Library& library);

/// Has the calling thread compute on a stream of its own, so that one thread's copies go on beside another's
/// kernels. Cost: nothing where it does so already. Throws Failure.
void compute_beside(const Cuda& cuda, std::int32_t device);

/// Until all that was started on the calling thread's GPU is done. Throws Failure.
void wait_for_gpu(const Cuda& cuda);

/// Memory that a GPU reads by itself, by way of which batches come to it while it computes: a copy from any
/// other memory waits for all that the GPU was told before. Two parts, used in turn.
///
/// Threads: one. Cost: a copy by the CPU of what is put.
class Staging {
 public:
  Staging(const Cuda& cuda, std::int32_t device) : cuda_(cuda), device_(device) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Begins a batch of at most so many bytes, when the GPU has taken the one before the last. Throws Failure.
  void begin(std::size_t bytes);
  /// A copy of them, aligned to 64 bytes, which stays until end() and then until the GPU has taken it.
  const void* put(const void* data, std::size_t bytes);
  /// What was put is on its way, by the calling thread's stream. Throws Failure.
  void end();

 private:
  struct Part {
    void* memory = nullptr;
    std::size_t bytes = 0;
    void* taken = nullptr;  ///< the event
  };

  const Cuda cuda_;
  std::int32_t device_;
  std::array<Part, 2> parts_;
  std::size_t now_ = 0;
  std::size_t used_ = 0;
};

}  // namespace neph::engine::torch_plugin
