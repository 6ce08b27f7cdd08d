// quantile_over_groups(): Woodruff's interval and Student's t over the groups; quantile_in_sequence(): the
// same over stretches of one run.
#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distribution.hpp"
#include "stats/mean.hpp"
#include "stats/order.hpp"
#include "stats/quantile.hpp"
#include "stats/trend.hpp"

namespace neph::stats {
namespace {

using Groups = std::vector<std::vector<double>>;  // sorted, none empty

std::vector<double> pooled(const Groups& groups) {
  std::vector<double> samples;
  for (const auto& group : groups) samples.insert(samples.end(), group.begin(), group.end());
  std::sort(samples.begin(), samples.end());
  return samples;
}

double student_bound_over(const Groups& groups) {
  return student_t_bound(static_cast<double>(groups.size() - 1));
}

/// Half the t interval of the share of all samples that does not exceed `value`: the groups' own shares,
/// weighted by their sizes, differ by so much (variance of a ratio estimator: Cochran, Sampling Techniques,
/// section 3.12).
double half_of_share(const Groups& groups, double value, double samples) {
  const auto count = static_cast<double>(groups.size());
  std::vector<double> at_most;
  for (const auto& group : groups)
    at_most.push_back(
        static_cast<double>(std::upper_bound(group.begin(), group.end(), value) - group.begin()));
  double all = 0;
  for (const double share : at_most) all += share / samples;
  double squares = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double residual = (at_most[i] - all * static_cast<double>(groups[i].size())) * count / samples;
    squares += residual * residual;
  }
  return student_bound_over(groups) * std::sqrt(squares / (count * (count - 1)));
}

/// Half the t interval of the mean of the groups' own quantiles.
double half_of_quantiles(const Groups& groups, double q) {
  std::vector<double> own;
  for (const auto& group : groups) own.push_back(quantile_of_sorted(group, q));
  return student_bound_over(groups) * mean_of(own).standard_error.value_or(0);
}

/// `count` contiguous stretches of equally many samples, or one more; each sorted.
Groups stretches_of(std::span<const double> samples, std::size_t count) {
  Groups stretches;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = samples.size() * i / count, end = samples.size() * (i + 1) / count;
    stretches.push_back(sorted(samples.subspan(begin, end - begin)));
  }
  return stretches;
}

/// Of the share of samples that do not exceed `value` in each stretch with the one in the next.
double correlation_of_shares(const Groups& stretches, double value) {
  std::vector<double> shares;
  for (const auto& stretch : stretches)
    shares.push_back(
        static_cast<double>(std::upper_bound(stretch.begin(), stretch.end(), value) - stretch.begin()) /
        static_cast<double>(stretch.size()));
  return lag1_autocorrelation(shares);
}

constexpr std::size_t most_stretches = 20;
constexpr std::size_t fewest_stretches = 5;
constexpr std::size_t fewest_in_stretch = 10;
/// Of 20 independent numbers one pair in five looks so correlated by chance.
constexpr double correlated = 0.2;

}  // namespace

Estimate quantile_in_sequence(std::span<const double> samples, double q) {
  auto result = quantile_estimate(samples, q);
  if (!result.low) return result;
  auto count = most_stretches;
  while (count >= fewest_stretches && samples.size() < count * fewest_in_stretch) count /= 2;
  if (count < fewest_stretches) return result;
  auto stretches = stretches_of(samples, count);
  while (count / 2 >= fewest_stretches && correlation_of_shares(stretches, result.value) > correlated)
    stretches = stretches_of(samples, count /= 2);
  const double half = half_of_share(stretches, result.value, static_cast<double>(result.n));
  const auto order = sorted(samples);
  result.low = std::min(*result.low, quantile_of_sorted(order, std::max(0.0, q - half)));
  result.high = std::max(*result.high, quantile_of_sorted(order, std::min(1.0, q + half)));
  return result;
}

Estimate quantile_over_groups(std::span<const std::vector<double>> groups, double q) {
  Groups filled;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    filled.push_back(sorted(group));
    if (filled.back().empty()) return {};  // a sample is not finite
  }
  if (filled.empty()) return {};
  if (filled.size() == 1) return quantile_estimate(filled.front(), q);

  const auto samples = pooled(filled);
  Estimate result{.value = quantile_of_sorted(samples, q), .n = static_cast<std::int64_t>(samples.size())};
  if (result.n < samples_needed(q)) return result;
  const double share = half_of_share(filled, result.value, static_cast<double>(result.n));
  const double half = half_of_quantiles(filled, q);
  result.low = std::min(result.value - half, quantile_of_sorted(samples, std::max(0.0, q - share)));
  result.high = std::max(result.value + half, quantile_of_sorted(samples, std::min(1.0, q + share)));
  return result;
}

}  // namespace neph::stats
