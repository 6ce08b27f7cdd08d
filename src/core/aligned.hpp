// Memory for tensors, aligned so that engines can use it in place.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace neph {

/// What vector instructions and engines want: one cache line, one AVX-512 register.
inline constexpr std::size_t tensor_alignment = 64;

struct FreeMemory {
  void operator()(float* memory) const { std::free(memory); }
};
using AlignedFloats = std::unique_ptr<float, FreeMemory>;

/// Room for `count` floats, not initialised. Empty when it cannot be had.
inline AlignedFloats allocate_floats(std::size_t count) {
  const auto bytes = (count * sizeof(float) + tensor_alignment - 1) / tensor_alignment * tensor_alignment;
  return AlignedFloats(static_cast<float*>(std::aligned_alloc(tensor_alignment, bytes)));
}

}  // namespace neph
