// What repeats of one point say of the noise.
#include <algorithm>
#include <array>
#include <cmath>

#include "predict/profile/profile.hpp"
#include "stats/stats.hpp"

namespace neph::predict {
namespace {

/// How much more than usual nineteen of twenty repeats with one value may be off: those of a cold start are.
/// One in twenty may be an outlier, which fewer errors than that say nothing of.
constexpr double most_unlike = 4;
constexpr std::size_t enough_errors = 20;

/// What makes the median of such estimates, over many points of `repeats` normal samples each, the true
/// deviation: few samples lie nearer to their own median than to the true one.
double for_few(std::size_t repeats) {
  constexpr std::array<double, 4> of_fewest{1.414, 1.870, 1.490, 1.339};  // of 2, 3, 4, 5; by simulation
  if (repeats < 2 + of_fewest.size()) return of_fewest.at(repeats - 2);
  const auto count = static_cast<double>(repeats);
  return count / (count - 1.2);
}

}  // namespace

double deviation_of_repeats(const std::vector<double>& logs) {
  return 1.4826 * for_few(logs.size()) * stats::median_absolute_deviation(logs);
}

bool tell_only_repeats(const ErrorsOfRepeats& errors) {
  std::vector<double> sizes;
  for (const auto& [value, own] : errors) {
    if (own.size() < enough_errors) continue;
    std::vector<double> off;
    for (const double error : own) off.push_back(std::abs(error));
    sizes.push_back(stats::quantile(off, 0.95));
  }
  return sizes.empty() || std::ranges::max(sizes) <= most_unlike * stats::median(sizes);
}

double noise_of(const Points& points) {
  std::vector<double> repeated;
  for (std::size_t i = 0; i < points.repeats.size(); ++i)
    if (points.repeats[i] > 1) repeated.push_back(points.deviations[i]);
  return repeated.empty() ? 0 : stats::median(repeated);
}

double noise_beyond_points(const Points& points) {
  // The mean share of the noise's square that is left to a mean of repeats; a median has a bit more.
  double of_points = 0;
  for (const int repeats : points.repeats)
    of_points += 1 / (static_cast<double>(repeats) * static_cast<double>(points.repeats.size()));
  return points.noise * std::sqrt(std::max(0.0, 1 - of_points));
}

}  // namespace neph::predict
