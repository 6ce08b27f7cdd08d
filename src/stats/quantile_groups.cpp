// quantile_over_groups(): Woodruff's interval and Student's t over the groups.
#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distribution.hpp"
#include "stats/mean.hpp"
#include "stats/order.hpp"
#include "stats/quantile.hpp"

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

}  // namespace

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
