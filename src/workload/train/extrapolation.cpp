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

/// Of a time, which is never below 0.
Estimate scaled_time(const Estimate& estimate, double factor) {
  auto result = scaled(estimate, factor);
  if (result.low) result.low = std::max(0.0, *result.low);
  return result;
}

/// Of a slice that is too short to show how much its batches resemble each other, they are taken as
/// independent.
Estimate mean_of_verifying(std::span<const double> batch_s, double future) {
  if (batch_s.size() >= stats::fewest_in_series) return stats::mean_of_next(batch_s, future);
  auto mean = stats::mean_estimate(batch_s);
  if (const auto half = half_of(mean)) {
    const double wider = *half * std::sqrt(1 + static_cast<double>(batch_s.size()) / future);
    mean.low = mean.value - wider;
    mean.high = mean.value + wider;
  }
  return mean;
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

Estimate verifying_time(std::span<const double> verify_s, std::int64_t batch, std::int64_t samples) {
  const double batches = static_cast<double>(samples) / static_cast<double>(batch);
  return scaled_time(mean_of_verifying(verify_s, std::max(1.0, batches)), batches);
}

Estimate training_time(const TrainingCourse& course, const Estimate& learning,
                       std::span<const double> verify_s) {
  if (course.samples_left <= 0 && course.test_samples_left <= 0) return {.value = course.past_s, .n = 1};
  const auto learn =
      scaled_time(learning, static_cast<double>(std::max<std::int64_t>(0, course.samples_left)));
  const auto verify = verifying_time(verify_s, course.batch, course.test_samples_left);
  Estimate time{.value = course.past_s + learn.value, .n = learning.n};
  auto half = half_of(learn);
  if (course.test_samples_left > 0) {
    time.value += verify.value;
    const auto other = half_of(verify);
    half = half && other ? std::optional(std::hypot(*half, *other)) : std::nullopt;
  }
  if (half) {
    time.low = std::max(course.past_s, time.value - *half);
    time.high = time.value + *half;
  }
  return time;
}

}  // namespace neph::workload
