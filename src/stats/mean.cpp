#include "stats/mean.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/random.hpp"
#include "stats/distribution.hpp"
#include "stats/order.hpp"

namespace neph::stats {
namespace {

constexpr int kResamples = 10000;
constexpr std::size_t kFewestForBootstrap = 6;

double sum_of_powers(std::span<const double> samples, double centre, int power) {
  double sum = 0;
  for (const double sample : samples) sum += std::pow(sample - centre, power);
  return sum;
}

double average(std::span<const double> samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

std::vector<double> resampled_means(std::span<const double> samples, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) sum += samples[random.below(samples.size())];
    mean = sum / static_cast<double>(samples.size());
  }
  std::sort(means.begin(), means.end());
  return means;
}

/// z of the share of resampled means below the mean, ties half: how far the bootstrap is off centre.
double bias_correction(std::span<const double> sorted_means, double mean) {
  const auto [first, last] = std::equal_range(sorted_means.begin(), sorted_means.end(), mean);
  const auto twice_below = (first - sorted_means.begin()) + (last - sorted_means.begin());
  return normal_quantile(static_cast<double>(twice_below) / (2.0 * static_cast<double>(sorted_means.size())));
}

}  // namespace

double student_errors(std::int64_t n) { return student_t_bound(static_cast<double>(n) - 1); }

double narrowing_by_one_more(std::int64_t n) {
  const auto samples = static_cast<double>(n);
  return student_t_bound(samples) / student_t_bound(samples - 1) * std::sqrt(samples / (samples + 1));
}

Mean mean_of(std::span<const double> samples) {
  Mean result;
  if (samples.empty() || !all_finite(samples)) return result;
  const auto n = static_cast<double>(samples.size());
  result.estimate = {.value = average(samples), .n = static_cast<std::int64_t>(samples.size())};
  if (samples.size() < 2) return result;
  result.deviation = std::sqrt(sum_of_powers(samples, result.estimate.value, 2) / (n - 1));
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
    if (blocks > 0) squares += sum_of_powers(set, average(set), 2);
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

Estimate bootstrap_mean(std::span<const double> samples, std::uint64_t seed) {
  Estimate result = mean_estimate(samples);
  result.low = result.high = std::nullopt;
  if (samples.size() < kFewestForBootstrap || result.n == 0) return result;
  const double squares = sum_of_powers(samples, result.value, 2);
  if (squares == 0) {  // all equal: so is every resample
    result.low = result.high = result.value;
    return result;
  }
  const auto means = resampled_means(samples, seed);
  const double bias = bias_correction(means, result.value);
  const double acceleration = sum_of_powers(samples, result.value, 3) / (6 * std::pow(squares, 1.5));
  const auto end = [&](double z) {
    const double shifted = bias + z;
    return quantile_of_sorted(means, normal_cdf(bias + shifted / (1 - acceleration * shifted)));
  };
  const double z = normal_quantile((1 + kConfidence) / 2);
  result.low = end(-z);
  result.high = end(z);
  return result;
}

}  // namespace neph::stats
