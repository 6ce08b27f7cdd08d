#include "stats/share.hpp"

#include <algorithm>
#include <cmath>

#include "stats/distribution.hpp"

namespace neph::stats {
namespace {

constexpr std::size_t stretches = 10;

/// The share at which `chance` falls through 2.5 %; chance(0) and chance(1) lie on either side.
template <class Chance>
double border(Chance chance) {
  double low = 0, high = 1;
  const bool rises = chance(1.0) > chance(0.0);
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (low + high) / 2;
    ((chance(middle) < (1 - kConfidence) / 2) == rises ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double chance_of_at_most(std::int64_t k, std::int64_t n, double share) { return binomial_cdf(k, n, share); }
double chance_of_at_least(std::int64_t k, std::int64_t n, double share) {
  return 1 - binomial_cdf(k - 1, n, share);
}

Estimate share_estimate(std::int64_t k, std::int64_t n) {
  if (n <= 0) return {};
  Estimate share{.value = static_cast<double>(k) / static_cast<double>(n), .n = n};
  share.low = k == 0 ? 0 : border([&](double p) { return chance_of_at_least(k, n, p); });
  share.high = k == n ? 1 : border([&](double p) { return chance_of_at_most(k, n, p); });
  return share;
}

Slo slo_of(double late, double n, double allowed, double doubt) {
  const auto of = std::llround(n);
  const auto k = std::min(of, std::llround(std::ceil(late)));
  if (chance_of_at_most(k, of, allowed) <= doubt) return Slo::met;
  if (chance_of_at_least(k, of, allowed) <= doubt) return Slo::violated;
  return Slo::inconclusive;
}

double design_effect(std::span<const std::uint8_t> counts) {
  const auto each = counts.size() / stretches;
  if (each < 2) return 1;
  double all = 0;
  for (const auto count : counts) all += count;
  const double share = all / static_cast<double>(counts.size());
  const double alone = share * (1 - share) / static_cast<double>(each);
  if (alone <= 0) return 1;
  double squares = 0;
  for (std::size_t i = 0; i < stretches; ++i) {
    double in_stretch = 0;
    for (const auto count : counts.subspan(i * each, each)) in_stretch += count;
    const double distance = in_stretch / static_cast<double>(each) - share;
    squares += distance * distance;
  }
  return std::max(1.0, squares / static_cast<double>(stretches - 1) / alone);
}

}  // namespace neph::stats
