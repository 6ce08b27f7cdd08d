#include "workload/train/extrapolation.hpp"

#include <algorithm>
#include <cmath>

#include "stats/stats.hpp"

namespace neph::workload {
namespace {

/// Half of the interval; empty: there is none.
std::optional<double> half_of(const Estimate& estimate) {
  if (!estimate.low || !estimate.high) return std::nullopt;
  return (*estimate.high - *estimate.low) / 2;
}

}  // namespace

std::int64_t slice_batches(std::int64_t steps) {
  constexpr std::int64_t steps_per_batch = 5, least = 6;
  return std::max(least, steps / steps_per_batch);
}

Estimate inverse(const Estimate& time) {
  Estimate rate{.value = 1 / time.value, .n = time.n};
  if (!time.low || !time.high || *time.low <= 0) return rate;
  rate.low = 1 / *time.high;
  rate.high = 1 / *time.low;
  return rate;
}

Estimate sample_time(std::span<const double> step_s, std::int64_t batch, double all_s, std::int64_t samples,
                     double future) {
  Estimate time{.value = all_s / static_cast<double>(samples), .n = std::ssize(step_s)};
  const auto step = stats::mean_of_next(step_s, std::max(1.0, future / static_cast<double>(batch)));
  if (const auto half = half_of(step)) {
    time.low = std::max(0.0, time.value - *half / static_cast<double>(batch));
    time.high = time.value + *half / static_cast<double>(batch);
  }
  return time;
}

Estimate training_time(double known_s, const Estimate& sample, std::int64_t samples_left) {
  auto whole = scaled(sample, static_cast<double>(std::max<std::int64_t>(0, samples_left)));
  whole.value += known_s;
  if (whole.low) whole.low = std::max(0.0, *whole.low) + known_s;
  if (whole.high) *whole.high += known_s;
  return whole;
}

}  // namespace neph::workload
