// What repeats of one point say of the noise.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "predict/profile/profile.hpp"
#include "stats/stats.hpp"

namespace neph::predict {
namespace {

/// How much more than usual the repeats with one value may be off: with a seed; with a number that was
/// counted, whose first may have been a cold start.
constexpr double most_unlike = 2, most_unlike_counted = 5;

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

bool tell_only_repeats(const ErrorsOfRepeats& errors, bool are_numbers) {
  const double first = errors.begin()->first, last = errors.rbegin()->first;
  const bool are_counted = are_numbers && errors.size() > 2 && (first == 0 || first == 1) &&
                           last - first + 1 == static_cast<double>(errors.size());
  std::vector<double> sizes;
  double most = 0;
  for (const auto& [value, own] : errors) {
    const Eigen::Map<const Eigen::ArrayXd> here(own.data(), std::ssize(own));
    const double by_chance = 1 / std::sqrt(static_cast<double>(own.size()));
    sizes.push_back(here.abs().mean());
    most = std::max(most, sizes.back() / (1 + 1.5 * by_chance));
    if (!are_counted && std::abs(here.mean()) > (0.5 + 3 * by_chance) * sizes.back()) return false;
  }
  return most <= (are_counted ? most_unlike_counted : most_unlike) * stats::median(sizes);
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
