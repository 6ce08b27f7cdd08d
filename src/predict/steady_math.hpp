// Exponential and logarithm that give the same bits on every machine: the C library chooses among several by
// the processor. Plain IEEE operations in a fixed order, short enough for the compiler to do several at a
// time. Accurate to about 1e-15 of the value, which is far less than any prediction is worth.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace neph::predict::steady {

/// Of a number between -708 and 709.
[[gnu::always_inline]] inline double exp_unchecked(double x) {
  constexpr double per_octave = 1.4426950408889634074;
  constexpr double octave_high =
      6.93147180369123816490e-01;  // ln 2 in two parts; the first has 21 trailing zero bits
  constexpr double octave_low = 1.90821492927058770002e-10;
  constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
  const double shifted = x * per_octave + rounder;
  const double octaves = shifted - rounder;
  const double r = (x - octaves * octave_high) - octaves * octave_low;  // at most 0.347
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) +
                               (std::bit_cast<std::uint64_t>(shifted) << 52));
}

/// Of a number between -708 and 709; one outside is taken for the nearer end.
inline double exp_within(double x) { return exp_unchecked(x < -708 ? -708 : x > 709 ? 709 : x); }

/// exp(-x) of a number that is not below 0; above 708 as at 708.
[[gnu::always_inline]] inline double decay(double x) { return exp_unchecked(-(x < 708 ? x : 708)); }

/// Below -708 it is 0 (no subnormal results), above 709 infinite, of NaN it is NaN.
inline double exp(double x) {
  if (x != x) return x;
  if (x < -708) return 0;
  return x > 709 ? std::numeric_limits<double>::infinity() : exp_within(x);
}

/// Of a positive, normal number. 0: minus infinity; below: NaN; infinite: infinite.
inline double log(double x) {
  constexpr double octave_high = 6.93147180369123816490e-01, octave_low = 1.90821492927058770002e-10;
  constexpr double half_root = 0.70710678118654752440;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1022;
  double mantissa =
      std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffff) | 0x3fe0'0000'0000'0000);  // 0.5 .. 1
  if (mantissa < half_root) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1), q = s * s;  // |s| <= 0.172
  double sum = 1.0 / 23;
  for (const double odd : {21, 19, 17, 15, 13, 11, 9, 7, 5, 3}) sum = sum * q + 1 / odd;
  const auto octaves = static_cast<double>(exponent);
  const double value = octaves * octave_high + (octaves * octave_low + 2 * s * (1 + q * sum));
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  return x > std::numeric_limits<double>::max() ? x : value;
}

}  // namespace neph::predict::steady
