#include "stats/warmup.hpp"

#include <algorithm>
#include <cmath>

#include "stats/quantile.hpp"

namespace neph::stats {
namespace {

/// Two standard errors: where nothing changes, 19 of 20 comparisons find the medians equal.
constexpr double kStandardErrors = 2;
/// Of the median of normal samples, in units of their median absolute deviation: 1.4826 x sqrt(pi / 2).
constexpr double kErrorOfMedian = 1.858;

double squared_error_of_median(std::span<const double> window) {
  const double error = kErrorOfMedian * median_absolute_deviation(window);
  return error * error / static_cast<double>(window.size());
}

}  // namespace

Warmup::Warmup(WarmupRule rule) : rule_(rule) {
  rule_.window = std::max<std::size_t>(2, rule_.window);
  recent_.resize(2 * rule_.window);
}

void Warmup::add(double batch_time) { recent_[count_++ % recent_.size()] = batch_time; }

bool Warmup::flat() const {
  if (count_ < recent_.size()) return false;
  std::vector<double> ordered(recent_);  // by time: older window, newer window
  const auto oldest = static_cast<std::ptrdiff_t>(count_ % recent_.size());
  std::rotate(ordered.begin(), ordered.begin() + oldest, ordered.end());
  const auto older = std::span(ordered).first(rule_.window);
  const auto newer = std::span(ordered).last(rule_.window);

  const double level = median(newer);
  const double noise =
      kStandardErrors * std::sqrt(squared_error_of_median(older) + squared_error_of_median(newer));
  return std::abs(level - median(older)) <= std::max(rule_.tolerance * std::abs(level), noise);
}

std::optional<std::size_t> steady_from(std::span<const double> samples, WarmupRule rule) {
  rule.window = std::max<std::size_t>(2, rule.window);
  Warmup warmup(rule);
  for (const double sample : samples) {
    warmup.add(sample);
    if (warmup.flat()) return warmup.count() - rule.window;
  }
  return std::nullopt;
}

}  // namespace neph::stats
