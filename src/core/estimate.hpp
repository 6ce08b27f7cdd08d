// A value with its interval and the number of samples; a bare number is never reported.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "core/describe.hpp"

namespace neph {

struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  /// 95 % interval; empty where the data cannot carry one ("too few samples").
  std::optional<double> low;
  std::optional<double> high;
  std::int64_t n = 0;
};

/// The same in another unit, or of so many times as much; `factor` is not below 0.
inline Estimate scaled(Estimate estimate, double factor) {
  estimate.value *= factor;
  if (estimate.low) *estimate.low *= factor;
  if (estimate.high) *estimate.high *= factor;
  return estimate;
}

template <class Visit, Describes<Estimate> Self>
void describe(Visit&& v, Self& s) {
  v("value", s.value, "the best single number");
  v("low", s.low, "lower end of the 95 % interval; null: too few samples");
  v("high", s.high, "upper end of the 95 % interval; null: too few samples");
  v("n", s.n, "number of samples behind it");
}

}  // namespace neph
