// Samples far from the rest. They are named, not removed: an outlier is a fact about the machine.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/describe.hpp"

namespace neph::stats {

enum class OutlierKind { low_severe, low_mild, high_mild, high_severe };
constexpr auto enum_names(OutlierKind) {
  return std::array{Named{OutlierKind::low_severe, "low severe"}, Named{OutlierKind::low_mild, "low mild"},
                    Named{OutlierKind::high_mild, "high mild"},
                    Named{OutlierKind::high_severe, "high severe"}};
}

struct Outlier {
  std::size_t index = 0;  ///< in the samples as given
  OutlierKind kind = OutlierKind::high_mild;
};

/// Tukey's fences (Exploratory Data Analysis, 1977, chapter 2): mild beyond 1.5, severe beyond 3
/// interquartile ranges from the nearer quartile, in the order of the samples. Of normal samples 0.7 % are
/// mild, 0.0002 % severe. Preferred to scores in units of the median absolute deviation because times are
/// skewed and each side has its own fence. Fewer than 4 samples: none.
std::vector<Outlier> outliers(std::span<const double> samples);

}  // namespace neph::stats
