#include "report/charts/thin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace neph::report {

Points bucket_means(const std::vector<double>& x, const std::vector<double>& y, std::size_t most) {
  const std::size_t n = std::min(x.size(), y.size());
  const std::size_t buckets = std::min(n, most);
  Points thinned;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = bucket * n / buckets, end = (bucket + 1) * n / buckets;
    double sum = 0;
    std::size_t finite = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (std::isfinite(y[i])) {
        sum += y[i];
        ++finite;
      }
    thinned.x.push_back(x[end - 1]);
    thinned.y.push_back(finite ? sum / static_cast<double>(finite)
                               : std::numeric_limits<double>::quiet_NaN());
  }
  return thinned;
}

Points upper_quantiles(std::vector<double> samples, std::size_t most) {
  std::erase_if(samples, [](double sample) { return !std::isfinite(sample); });
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  Points curve;
  const auto add = [&](std::size_t rank) {  // 0-based
    curve.x.push_back(static_cast<double>(n) / (static_cast<double>(n - rank) - 0.5));
    curve.y.push_back(samples[rank]);
  };
  if (n <= most) {
    for (std::size_t rank = 0; rank < n; ++rank) add(rank);
    return curve;
  }
  // Steps of equal length on the axis: 1 - q falls geometrically from 1 to 1/n.
  std::size_t last = n;
  for (std::size_t step = 0; step < most; ++step) {
    const double above =
        std::pow(static_cast<double>(n), 1 - static_cast<double>(step) / static_cast<double>(most - 1));
    const auto rank = std::min(n - 1, n - std::min(n, static_cast<std::size_t>(std::llround(above))));
    if (rank != last) add(rank);
    last = rank;
  }
  return curve;
}

}  // namespace neph::report
