// Eight floats side by side: one register where there is AVX2, as everywhere that this is built for x86. Only
// for files of this room: everything is inlined into its caller, so that they stay in registers.
#pragma once

#define NEPH_INLINE inline __attribute__((always_inline))

namespace neph::image {

inline constexpr int lanes = 8;
using Lanes = float __attribute__((vector_size(lanes * sizeof(float))));
/// The same anywhere in memory.
using LanesInMemory [[gnu::aligned(alignof(float)), gnu::may_alias]] = Lanes;

// Through a pointer: g++ 12 makes two or four moves of a memcpy of this size.
NEPH_INLINE void load(const float* from, Lanes& to) { to = *reinterpret_cast<const LanesInMemory*>(from); }
NEPH_INLINE void store(const Lanes& from, float* to) { *reinterpret_cast<LanesInMemory*>(to) = from; }

/// To whole numbers, half to even.
template <class Value>
NEPH_INLINE void round_level(Value& value) {
  constexpr float no_fraction_left = 12582912.0F;  // 1.5 * 2^23: floats of this size are whole numbers
  value = (value + no_fraction_left) - no_fraction_left;
}

/// 8 x 8 values, rows for columns.
NEPH_INLINE void turn(Lanes (&m)[lanes]) {
  Lanes a[lanes];
  for (int i = 0; i < lanes; i += 2) {
    a[i] = __builtin_shufflevector(m[i], m[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = __builtin_shufflevector(m[i], m[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  Lanes b[lanes];
  for (const int i : {0, 4}) {
    for (const int j : {0, 1}) {
      b[i + j] = __builtin_shufflevector(a[i + j], a[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + j + 2] = __builtin_shufflevector(a[i + j], a[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    m[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace neph::image
