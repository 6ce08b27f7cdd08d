#include "stats/mean.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/distribution.hpp"
#include "stats/order.hpp"

namespace neph::stats {
namespace {

double sum_of_squares(std::span<const double> samples, double centre) {
  double sum = 0;
  for (const double sample : samples) sum += (sample - centre) * (sample - centre);
  return sum;
}

double average(std::span<const double> samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

}  // namespace

double student_errors(std::int64_t n) { return student_t_bound(static_cast<double>(n) - 1); }

Mean mean_of(std::span<const double> samples) {
  Mean result;
  if (samples.empty() || !all_finite(samples)) return result;
  const auto n = static_cast<double>(samples.size());
  result.estimate = {.value = average(samples), .n = static_cast<std::int64_t>(samples.size())};
  if (samples.size() < 2) return result;
  result.deviation = std::sqrt(sum_of_squares(samples, result.estimate.value) / (n - 1));
  result.standard_error = *result.deviation / std::sqrt(n);
  const double half = student_t_bound(n - 1) * *result.standard_error;
  result.estimate.low = result.estimate.value - half;
  result.estimate.high = result.estimate.value + half;
  return result;
}

Estimate mean_estimate(std::span<const double> samples) { return mean_of(samples).estimate; }

Estimate mean_over_blocks(std::span<const std::vector<double>> sets) {
  if (sets.empty()) return {};
  const std::size_t blocks = sets.front().size();
  std::vector<double> means(blocks);
  double squares = 0;
  for (const auto& set : sets) {
    for (std::size_t i = 0; i < blocks; ++i) means[i] += set[i] / static_cast<double>(sets.size());
    if (blocks > 0) squares += sum_of_squares(set, average(set));
  }
  auto result = mean_estimate(means);
  if (!result.low || sets.size() < 2) return result;
  const auto samples = static_cast<double>(blocks * sets.size());
  const double degrees = samples - static_cast<double>(sets.size());
  const double half = student_t_bound(degrees) * std::sqrt(squares / degrees / samples);
  result.low = std::min(*result.low, result.value - half);
  result.high = std::max(*result.high, result.value + half);
  return result;
}

}  // namespace neph::stats
