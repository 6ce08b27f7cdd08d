#include "stats/order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/distribution.hpp"

namespace neph::stats {
namespace {

constexpr double kDoubt = 1 - kConfidence;

/// The largest rank r with P(B < r) <= tail, at least 1.
std::int64_t low_rank(std::int64_t n, double q, double tail) {
  std::int64_t good = 1, bad = n + 1;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (binomial_cdf(middle - 1, n, q) <= tail ? good : bad) = middle;
  }
  return good;
}

}  // namespace

std::optional<Ranks> quantile_ranks(std::int64_t n, double q) {
  if (n < 1 || !(q > 0 && q < 1)) return std::nullopt;
  const double below_all = std::pow(1 - q, static_cast<double>(n));  // P(quantile < smallest sample)
  const double above_all = std::pow(q, static_cast<double>(n));      // P(quantile > largest sample)
  if (below_all + above_all > kDoubt) return std::nullopt;
  const double low_tail = above_all > kDoubt / 2 ? kDoubt - above_all : kDoubt / 2;
  const double high_tail = below_all > kDoubt / 2 ? kDoubt - below_all : kDoubt / 2;
  // Seen from the other end, the rank above the quantile is the rank below the (1-q)-quantile.
  return Ranks{.low = low_rank(n, q, low_tail), .high = n + 1 - low_rank(n, 1 - q, high_tail)};
}

bool all_finite(std::span<const double> samples) {
  return std::all_of(samples.begin(), samples.end(), [](double value) { return std::isfinite(value); });
}

std::vector<double> sorted(std::span<const double> samples) {
  if (!all_finite(samples)) return {};
  std::vector<double> result(samples.begin(), samples.end());
  std::sort(result.begin(), result.end());
  return result;
}

double quantile_of_sorted(std::span<const double> samples, double q) {
  if (samples.empty() || !(q >= 0 && q <= 1)) return std::numeric_limits<double>::quiet_NaN();
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], position - static_cast<double>(below));
}

}  // namespace neph::stats
