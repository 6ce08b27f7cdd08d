#include "stats/change_points.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "stats/order.hpp"

namespace neph::stats {
namespace {

constexpr int draws = 199;
constexpr double level = 0.05;

using Values = std::span<const double>;

struct Split {
  std::size_t place = 0;
  double distance = 0;  ///< 0: none
};

double distances_to(double value, Values others) {
  double sum = 0;
  for (const double other : others) sum += std::abs(value - other);
  return sum;
}

/// Sums of distances within and between the first values and the others.
struct Sides {
  double first = 0, others = 0, between = 0;

  /// The energy distance of n and m values, times n m / (n + m).
  double distance(double n, double m) const {
    const double energy = 2 * between / (n * m) - 2 * first / (n * (n - 1)) - 2 * others / (m * (m - 1));
    return energy * n * m / (n + m);
  }
};

Split best_split(Values segment, std::size_t least) {
  Split best;
  if (segment.size() < 2 * least) return best;
  Sides sides;
  for (std::size_t i = 0; i < segment.size(); ++i)
    sides.others += distances_to(segment[i], segment.subspan(i + 1));
  for (std::size_t place = 1; place + least <= segment.size(); ++place) {
    const double moved = segment[place - 1];
    const double to_first = distances_to(moved, segment.first(place - 1)),
                 to_others = distances_to(moved, segment.subspan(place));
    sides.first += to_first;
    sides.others -= to_others;
    sides.between += to_others - to_first;
    if (place < least) continue;
    const double distance =
        sides.distance(static_cast<double>(place), static_cast<double>(segment.size() - place));
    if (distance > best.distance) best = {place, distance};
  }
  return best;
}

/// Of all segments; its place counts from the beginning of the series. `ends`: of the segments, in order.
Split best_of_segments(Values values, const std::vector<std::size_t>& ends, std::size_t least) {
  Split best;
  std::size_t begin = 0;
  for (const auto end : ends) {
    const auto split = best_split(values.subspan(begin, end - begin), least);
    if (split.distance > best.distance) best = {begin + split.place, split.distance};
    begin = end;
  }
  return best;
}

/// How often values in another order, each within its segment, have as good a split.
double p_value(Values values, const std::vector<std::size_t>& ends, std::size_t least, double distance,
               Random& random) {
  std::vector<double> drawn(values.begin(), values.end());
  int as_good = 0;
  for (int i = 0; i < draws; ++i) {
    std::size_t begin = 0;
    for (const auto end : ends) {
      shuffle(std::span(drawn).subspan(begin, end - begin), random);
      begin = end;
    }
    as_good += best_of_segments(drawn, ends, least).distance >= distance;
  }
  return (as_good + 1.0) / (draws + 1.0);
}

}  // namespace

std::vector<FoundChange> change_points(Values values, std::size_t least_segment, std::uint64_t seed) {
  if (!all_finite(values)) return {};
  const auto least = std::max<std::size_t>(2, least_segment);
  Random random(seed);
  std::vector<std::size_t> ends{values.size()};
  std::vector<FoundChange> found;
  for (;;) {
    const auto split = best_of_segments(values, ends, least);
    if (split.distance <= 0) break;
    const double p = p_value(values, ends, least, split.distance, random);
    if (p > level) break;
    found.push_back({split.place, p});
    ends.insert(std::ranges::upper_bound(ends, split.place), split.place);
  }
  std::ranges::sort(found, {}, &FoundChange::place);
  return found;
}

}  // namespace neph::stats
