#include "stats/outliers.hpp"

#include <optional>

#include "stats/order.hpp"

namespace neph::stats {
namespace {

struct Fences {
  double first_quartile;
  double third_quartile;

  std::optional<OutlierKind> kind(double sample) const {
    const double range = third_quartile - first_quartile;
    if (sample < first_quartile - 3 * range) return OutlierKind::low_severe;
    if (sample < first_quartile - 1.5 * range) return OutlierKind::low_mild;
    if (sample > third_quartile + 3 * range) return OutlierKind::high_severe;
    if (sample > third_quartile + 1.5 * range) return OutlierKind::high_mild;
    return std::nullopt;
  }
};

}  // namespace

std::vector<Outlier> outliers(std::span<const double> samples) {
  const auto order = sorted(samples);
  if (order.size() < 4) return {};
  const Fences fences{quantile_of_sorted(order, 0.25), quantile_of_sorted(order, 0.75)};
  std::vector<Outlier> found;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (const auto kind = fences.kind(samples[i])) found.push_back({i, *kind});
  return found;
}

}  // namespace neph::stats
