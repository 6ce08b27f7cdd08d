// Drift: whether the samples rise or fall with time, and how much of what they say they repeat.
#pragma once

#include <cstdint>
#include <span>

#include "core/estimate.hpp"

namespace neph::stats {

struct Trend {
  Estimate slope;          ///< Sen's slope per sample; n: the points that were tested
  std::int64_t score = 0;  ///< Mann and Kendall's S: pairs that rise less pairs that fall
  double p_value = 1;      ///< probability of an |S| at least so large without a trend
  double change = 0;       ///< slope over the whole length, relative to the median: 0.02 is 2 % upwards
};

/// The Mann-Kendall test with Sen's slope (Mann, Econometrica 13, 1945; Kendall, Rank Correlation Methods,
/// 1975; Sen, J. Am. Statist. Assoc. 63, 1968; ties and interval as in Gilbert, Statistical Methods for
/// Environmental Pollution Monitoring, 1987, chapters 16 and 17). The p-value is exact for up to 30 samples
/// without ties, else normal with the variance corrected for ties and for continuity.
///
/// More than 500 samples are first summed up by the medians of equal blocks (an incomplete last one is left
/// out): that bounds the cost and takes away most of the correlation of neighbours. What remains makes p too
/// small (Yue, Wang, Water Resources Management 18, 2004): read it with lag1_autocorrelation().
///
/// No trend (slope NaN, p 1) for fewer than 2 samples. Cost: up to 10 ms.
Trend trend_of(std::span<const double> samples);

/// Whether a trend is both shown (p < 0.05) and large enough to matter: |change| above `tolerance`.
bool drifts(const Trend& trend, double tolerance = 0.02);

/// The median of the last quarter of the samples (at least one) divided by that of the first: what a trend
/// has made of them. NaN for no samples.
double end_over_beginning(std::span<const double> samples);

/// Correlation of each sample with the next, -1 .. 1; 0 for fewer than 3 samples or for equal ones.
double lag1_autocorrelation(std::span<const double> samples);

}  // namespace neph::stats
