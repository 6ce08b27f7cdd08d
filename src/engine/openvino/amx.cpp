#include "engine/openvino/amx.hpp"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace neph::engine {

bool has_amx_without_palette() {
#if defined(__x86_64__)
  constexpr unsigned amx_tile = 1U << 24;  // leaf 7, subleaf 0, EDX
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & amx_tile) == 0) return false;
  const bool described = __get_cpuid_count(0x1d, 0, &a, &b, &c, &d) != 0;
  return !described || a == 0;
#else
  return false;
#endif
}

void avoid_amx_without_palette() {
  if (has_amx_without_palette()) ::setenv("ONEDNN_MAX_CPU_ISA", "AVX10_1_512", 0);
}

}  // namespace neph::engine
