#include "stats/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/distribution.hpp"
#include "stats/order.hpp"

namespace neph::stats {

double quantile(std::span<const double> samples, double q) { return quantile_of_sorted(sorted(samples), q); }

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

double median_absolute_deviation(std::span<const double> samples) {
  const double centre = median(samples);
  std::vector<double> distances;
  distances.reserve(samples.size());
  for (const double sample : samples) distances.push_back(std::abs(sample - centre));
  return median(distances);
}

Estimate quantile_estimate(std::span<const double> samples, double q) {
  const auto order = sorted(samples);
  Estimate result{.value = quantile_of_sorted(order, q), .n = static_cast<std::int64_t>(order.size())};
  if (const auto ranks = quantile_ranks(result.n, q)) {
    result.low = order[static_cast<std::size_t>(ranks->low - 1)];
    result.high = order[static_cast<std::size_t>(ranks->high - 1)];
  }
  return result;
}

Estimate median_estimate(std::span<const double> samples) { return quantile_estimate(samples, 0.5); }

}  // namespace neph::stats
