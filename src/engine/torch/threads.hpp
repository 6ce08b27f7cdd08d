// libtorch's threads and the process's allocator: both are the whole process's, which infers and does
// little else.
#pragma once

#include <cstdint>
#include <string>

#include "engine/torch/abi.hpp"

namespace neph::engine::torch_plugin {

/// Has the calling thread compute with so many threads, and without recording for gradients. Cost: nothing
/// where it did so last.
void compute_with(const Abi& abi, std::int64_t threads);

/// The allocator, as a fact of a run.
std::string allocator_fact();

/// Has glibc's malloc keep what is freed, and libtorch ask for large pages: tensors of some megabytes would
/// otherwise be mapped, cleared and unmapped by the kernel in every step. Another malloc is left as it is.
/// Before libtorch is opened. Cost: memory once used stays with the process.
void keep_memory();

/// Has threads of OpenMP that wait spin for some microseconds and then sleep: by itself GNU's library spins
/// for milliseconds, which takes the processor from whoever shares it. What the user set stays. Before
/// libtorch is opened.
void wait_briefly();

/// The library that malloc is from, by its name: "glibc", "jemalloc", "tcmalloc", "mimalloc".
std::string allocator_in_use();

}  // namespace neph::engine::torch_plugin
