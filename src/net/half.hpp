// Floats of 16 bits as floats of 32 and back, to the nearest, ties to even (IEEE 754 binary16; bfloat16 is
// the upper half of a float).
#pragma once

#include <bit>
#include <cstdint>

namespace neph::net {

constexpr float from_float16(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
  const std::uint32_t rest = std::uint32_t{half & 0x7fffU} << 13;
  constexpr std::uint32_t kInfinite = 0x7c00U << 13;
  if (rest >= kInfinite) return std::bit_cast<float>(sign | 0x7f800000U | rest);
  // Its exponent is 112 less in a float's place, subnormal ones too.
  const float value = std::bit_cast<float>(rest) * 0x1p112F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

constexpr std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  std::uint32_t rest = bits & 0x7fffffffU;
  constexpr std::uint32_t kInfinite = 0x7f800000U, kTooLarge = 0x477ff000U, kNormal = 0x38800000U;
  if (rest > kInfinite) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (rest >= kTooLarge) return static_cast<std::uint16_t>(sign | 0x7c00U);
  if (rest < kNormal) {
    // The last bit of numbers from 0.5 to 1 is that of subnormal halves: the addition rounds.
    const auto rounded = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5F);
    return static_cast<std::uint16_t>(sign | (rounded - std::bit_cast<std::uint32_t>(0.5F)));
  }
  rest += 0xfffU + (rest >> 13 & 1U);
  return static_cast<std::uint16_t>(sign | (rest - (112U << 23)) >> 13);
}

constexpr float from_bfloat16(std::uint16_t half) { return std::bit_cast<float>(std::uint32_t{half} << 16); }

constexpr std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

}  // namespace neph::net
