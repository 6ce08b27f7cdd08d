#include "stats/series_mean.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distribution.hpp"
#include "stats/mean.hpp"
#include "stats/trend.hpp"

namespace neph::stats {
namespace {

constexpr std::size_t stretches = 5;
constexpr double most_correlated = 0.98;

/// Half of the interval of the mean of `stretches` means.
double half_by_stretches(std::span<const double> samples) {
  std::vector<double> means;
  for (std::size_t k = 0; k < stretches; ++k) {
    const auto begin = samples.size() * k / stretches, end = samples.size() * (k + 1) / stretches;
    means.push_back(mean_of(samples.subspan(begin, end - begin)).estimate.value);
  }
  return student_t_bound(stretches - 1) * *mean_of(means).standard_error;
}

/// Half of the interval of the mean of a first-order autoregression.
double half_by_correlation(std::span<const double> samples) {
  const auto n = static_cast<double>(samples.size());
  const double seen = std::max(0.0, lag1_autocorrelation(samples));
  const double correlation = std::min(most_correlated, seen + (1 + 3 * seen) / n);
  const double independent = std::max(2.0, n * (1 - correlation) / (1 + correlation));
  // The deviation around a mean that moves with the samples is too small by the mean's own variance.
  const double deviation = *mean_of(samples).deviation / std::sqrt(1 - 1 / independent);
  return student_t_bound(independent - 1) * deviation / std::sqrt(independent);
}

}  // namespace

Estimate mean_of_next(std::span<const double> samples, double future) {
  auto estimate = mean_of(samples).estimate;
  estimate.low = estimate.high = std::nullopt;
  if (samples.size() < fewest_in_series || estimate.n == 0 || !(future > 0)) return estimate;
  const double half = std::max(half_by_stretches(samples), half_by_correlation(samples)) *
                      std::sqrt(1 + static_cast<double>(samples.size()) / future);
  estimate.low = estimate.value - half;
  estimate.high = estimate.value + half;
  return estimate;
}

}  // namespace neph::stats
