// The inverse discrete cosine transform of an 8 x 8 block in floats: Arai, Agui, Nakajima, "A fast DCT-SQ
// scheme for images", Trans. IEICE E-71(11), 1988, whose multiplications by row and by column are moved into
// the quantisation table. Only for files of this room.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "image/lanes.hpp"

namespace neph::image {

/// T.81, figure A.6: where the i-th coefficient of a block stands.
inline constexpr std::array<std::uint8_t, 64> zigzag = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/// The same in a block that is turned (columns for rows), as the transform here takes it.
inline constexpr auto turned_zigzag = [] {
  std::array<std::uint8_t, 64> turned{};
  for (std::size_t i = 0; i < 64; ++i)
    turned[i] = static_cast<std::uint8_t>(zigzag[i] % 8 * 8 + zigzag[i] / 8);
  return turned;
}();

/// What the coefficients of row or column k are to be multiplied with beforehand (and 1/8 for both together).
inline double aan_scale(std::size_t k) {
  return k == 0 ? 1 : std::numbers::sqrt2 * std::cos(static_cast<double>(k) * std::numbers::pi / 16);
}

/// Eight transforms of length 8, one in each lane.
NEPH_INLINE void inverse_dct_once(Lanes (&m)[8]) {
  constexpr float root2 = 1.414213562F;
  const Lanes s04 = m[0] + m[4], d04 = m[0] - m[4], s26 = m[2] + m[6], d26 = (m[2] - m[6]) * root2 - s26;
  const Lanes e0 = s04 + s26, e3 = s04 - s26, e1 = d04 + d26, e2 = d04 - d26;
  const Lanes s53 = m[5] + m[3], d53 = m[5] - m[3], s17 = m[1] + m[7], d17 = m[1] - m[7];
  const Lanes o7 = s17 + s53;
  const Lanes z = (d53 + d17) * 1.847759065F;
  const Lanes o6 = z - d53 * 2.613125930F - o7;
  const Lanes o5 = (s17 - s53) * root2 - o6;
  const Lanes o4 = z - d17 * 1.082392200F - o5;
  m[0] = e0 + o7, m[7] = e0 - o7;
  m[1] = e1 + o6, m[6] = e1 - o6;
  m[2] = e2 + o5, m[5] = e2 - o5;
  m[3] = e3 + o4, m[4] = e3 - o4;
}

/// `coefficients` of a block turned, times `scale` (quantisation and aan_scale), to 8 rows of levels around
/// `centre`.
NEPH_INLINE void inverse_dct(const std::int16_t* coefficients, const float* scale, float centre, float* to,
                             std::ptrdiff_t stride) {
  alignas(32) float scaled[64];
  for (int i = 0; i < 64; ++i) scaled[i] = static_cast<float>(coefficients[i]) * scale[i];
  Lanes m[8];
  for (int i = 0; i < 8; ++i) load(scaled + 8 * i, m[i]);
  m[0] += Lanes{centre, 0, 0, 0, 0, 0, 0, 0};  // a constant in every value
  inverse_dct_once(m);
  turn(m);
  inverse_dct_once(m);
  for (int i = 0; i < 8; ++i, to += stride) {
    round_level(m[i]);
    store(m[i], to);
  }
}

}  // namespace neph::image
