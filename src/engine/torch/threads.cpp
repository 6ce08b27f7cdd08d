#include "engine/torch/threads.hpp"

#include <cstdlib>
#include <limits>
#include <string_view>

#include <dlfcn.h>
#include <malloc.h>

namespace neph::engine::torch_plugin {

void compute_with(const Abi& abi, std::int64_t threads) {
  thread_local std::int64_t set_here = 0;
  if (set_here == threads) return;
  if (abi.set_thread_count != nullptr) abi.set_thread_count(static_cast<int>(threads));
  abi.grad_mode_set_enabled(false);
  set_here = threads;
}

std::string allocator_fact() {
  const auto allocator = allocator_in_use();
  return allocator == "glibc" ? "glibc, keeps freed memory" : allocator;
}

void keep_memory() {
  ::setenv("THP_MEM_ALLOC_ENABLE", "1", 0);  // libtorch's own variable; what the user set stays
  if (allocator_in_use() != "glibc") return;
  mallopt(M_MMAP_MAX, 0);  // the threshold below which it does not map cannot be set beyond 32 MiB
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
  mallopt(M_ARENA_MAX, 1);  // that of the first thread grows without limit, others end at 64 MiB
}

void wait_briefly() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) ::setenv("GOMP_SPINCOUNT", "5000", 0);
}

std::string allocator_in_use() {
  Dl_info info{};
  void* const function = dlsym(RTLD_DEFAULT, "malloc");
  if (function == nullptr || dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "unknown";
  const std::string_view file = info.dli_fname;
  for (const std::string_view name : {"jemalloc", "tcmalloc", "mimalloc"})
    if (file.find(name) != std::string_view::npos) return std::string(name);
  return file.find("libc.so") != std::string_view::npos ? "glibc" : std::string(file);
}

}  // namespace neph::engine::torch_plugin
