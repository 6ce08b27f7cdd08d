#include "stats/trend.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/distribution.hpp"
#include "stats/order.hpp"
#include "stats/quantile.hpp"

namespace neph::stats {
namespace {

constexpr std::size_t kMostPoints = 500;
constexpr std::size_t kMostForExact = 30;

std::vector<double> block_medians(std::span<const double> samples, std::size_t block) {
  std::vector<double> medians;
  for (std::size_t begin = 0; begin + block <= samples.size(); begin += block)
    medians.push_back(median(samples.subspan(begin, block)));
  return medians;
}

double pairs_of(std::size_t n) { return static_cast<double>(n) * (static_cast<double>(n) - 1) / 2; }

std::int64_t score_of(std::span<const double> points) {
  std::int64_t score = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      score += (points[j] > points[i]) - (points[j] < points[i]);
  return score;
}

/// Of S without a trend, less what ties take away (Gilbert 1987, section 16.4.2).
double score_variance(std::span<const double> sorted_points) {
  const auto term = [](double t) { return t * (t - 1) * (2 * t + 5); };
  double variance = term(static_cast<double>(sorted_points.size()));
  for (auto begin = sorted_points.begin(); begin != sorted_points.end();) {
    const auto end = std::upper_bound(begin, sorted_points.end(), *begin);
    variance -= term(static_cast<double>(end - begin));
    begin = end;
  }
  return variance / 18;
}

/// Two-sided, from the number of orders of n points with so many inversions (Kendall 1975, chapter 5).
double exact_p_value(std::size_t n, std::int64_t score) {
  const auto most = static_cast<std::size_t>(pairs_of(n));
  std::vector<double> share(most + 1, 0.0);  // of all orders, by number of inversions
  share[0] = 1;
  for (std::size_t points = 2; points <= n; ++points) {
    std::vector<double> next(most + 1, 0.0);
    for (std::size_t inversions = 0; inversions <= most; ++inversions)
      for (std::size_t added = 0; added < std::min(points, inversions + 1); ++added)
        next[inversions] += share[inversions - added] / static_cast<double>(points);
    share = std::move(next);
  }
  const auto fewest = (most - static_cast<std::size_t>(std::abs(score))) / 2;
  const double tail =
      std::accumulate(share.begin(), share.begin() + static_cast<std::ptrdiff_t>(fewest) + 1, 0.0);
  return std::min(1.0, 2 * tail);
}

double normal_p_value(std::int64_t score, double variance) {
  if (score == 0 || variance <= 0) return 1;
  const double continuous = std::abs(static_cast<double>(score)) - 1;
  return 2 * normal_cdf(-continuous / std::sqrt(variance));
}

/// Sen's slope and Gilbert's interval (1987, section 16.5): two of the sorted slopes of all pairs.
Estimate slope_of(std::span<const double> points, double variance) {
  std::vector<double> slopes;
  slopes.reserve(static_cast<std::size_t>(pairs_of(points.size())));
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      slopes.push_back((points[j] - points[i]) / static_cast<double>(j - i));
  std::sort(slopes.begin(), slopes.end());

  Estimate slope{.value = quantile_of_sorted(slopes, 0.5), .n = static_cast<std::int64_t>(points.size())};
  const auto count = static_cast<double>(slopes.size());
  const double spread = normal_quantile((1 + kConfidence) / 2) * std::sqrt(std::max(variance, 0.0));
  const double low_rank = std::nearbyint((count - spread) / 2);       // from 1
  const double high_rank = std::nearbyint((count + spread) / 2) + 1;  // from 1
  if (points.size() >= 4 && low_rank >= 1 && high_rank <= count) {
    slope.low = slopes[static_cast<std::size_t>(low_rank) - 1];
    slope.high = slopes[static_cast<std::size_t>(high_rank) - 1];
  }
  return slope;
}

Estimate divided(Estimate estimate, double by) {
  estimate.value /= by;
  if (estimate.low) *estimate.low /= by;
  if (estimate.high) *estimate.high /= by;
  return estimate;
}

}  // namespace

Trend trend_of(std::span<const double> samples) {
  if (samples.size() < 2 || !all_finite(samples)) return {};
  const std::size_t block = (samples.size() + kMostPoints - 1) / kMostPoints;
  const auto points = block_medians(samples, block);
  const auto order = sorted(points);
  const double variance = score_variance(order);
  const bool ties = std::adjacent_find(order.begin(), order.end()) != order.end();

  Trend trend;
  trend.score = score_of(points);
  trend.p_value = points.size() <= kMostForExact && !ties ? exact_p_value(points.size(), trend.score)
                                                          : normal_p_value(trend.score, variance);
  trend.slope = divided(slope_of(points, variance), static_cast<double>(block));
  const double middle = std::abs(quantile_of_sorted(order, 0.5));
  if (middle > 0) trend.change = trend.slope.value * static_cast<double>(samples.size() - 1) / middle;
  return trend;
}

bool drifts(const Trend& trend, double tolerance) {
  return trend.p_value < 1 - kConfidence && std::abs(trend.change) > tolerance;
}

double end_over_beginning(std::span<const double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto part = std::max<std::size_t>(1, samples.size() / 4);
  return median(samples.last(part)) / median(samples.first(part));
}

double lag1_autocorrelation(std::span<const double> samples) {
  if (samples.size() < 3 || !all_finite(samples)) return 0;
  const double mean =
      std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    squares += (samples[i] - mean) * (samples[i] - mean);
    if (i > 0) products += (samples[i] - mean) * (samples[i - 1] - mean);
  }
  return squares > 0 ? products / squares : 0;
}

}  // namespace neph::stats
