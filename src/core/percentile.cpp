#include "core/percentile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/units.hpp"

namespace neph {
namespace {

std::optional<double> of_word(std::string_view word) {
  if (word.size() < 2 || word[0] != 'p') return std::nullopt;
  double digits = 0, scale = 1;
  for (const char c : word.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    digits = 10 * digits + (c - '0');
    scale *= 10;
  }
  return digits / scale;
}

}  // namespace

std::optional<double> percentile_of(std::string_view name) {
  while (!name.empty()) {
    const auto end = std::min(name.find('_'), name.size());
    if (const auto percentile = of_word(name.substr(0, end))) return percentile;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return std::nullopt;
}

std::int64_t samples_needed(double q) {
  if (!(q > 0 && q < 1)) return std::numeric_limits<std::int64_t>::max();
  constexpr double doubt = 1 - kConfidence;
  auto n =
      std::max<std::int64_t>(1, std::llround(std::floor(std::log(doubt) / std::log(std::max(q, 1 - q)))));
  const auto outside = [q](std::int64_t count) {
    return std::pow(q, static_cast<double>(count)) + std::pow(1 - q, static_cast<double>(count));
  };
  while (outside(n) > doubt) ++n;
  return n;
}

std::string why_not_shown(double q, const Estimate& estimate) {
  if (!std::isfinite(estimate.value) || (estimate.low && estimate.high)) return {};
  return fmt::format("too few (needs {})", format_grouped(samples_needed(q)));
}

}  // namespace neph
