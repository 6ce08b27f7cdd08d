// Quantiles of samples and of repeats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/estimate.hpp"
#include "core/percentile.hpp"

namespace neph::stats {

/// The q-quantile (0 <= q <= 1) of samples in any order, linear between the two nearest (Hyndman, Fan 1996,
/// type 7: as R and NumPy by default). NaN for no samples.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);

/// Median of the absolute distances from the median: the spread that outliers do not move. Times 1.4826 it
/// estimates the deviation of normal samples. NaN for no samples.
double median_absolute_deviation(std::span<const double> samples);

/// The q-quantile (0 < q < 1) with the distribution-free interval between two of the samples (David,
/// Nagaraja, Order Statistics, section 7.1; Le Boudec, Performance Evaluation, section 2.2.2): independent
/// samples of any distribution, coverage at least 95 %. No interval below samples_needed(q).
Estimate quantile_estimate(std::span<const double> samples, double q);
Estimate median_estimate(std::span<const double> samples);

using neph::samples_needed;

/// The q-quantile (0 < q < 1) of samples that come in groups, one per repeat: samples of one run resemble
/// each other, so the runs and not the samples are what is independent.
/// Value: quantile of all samples pooled; n: their number. Interval: the hull of two, each with Student's t
/// for the number of groups:
/// - Woodruff's (J. Am. Statist. Assoc. 47, 1952; over groups: Francisco, Fuller, Annals of Statistics 19(1),
///   1991): the interval of the share of samples below the value, taken back to the samples, whose skew it
///   follows;
/// - that of the mean of the groups' own quantiles, laid around the value, which holds with 2 or 3 groups.
/// Not the cluster bootstrap: with the 3 to 10 repeats that people run its percentiles are too narrow.
///
/// Coverage by simulation (quantile_test.cpp): at least 93 % for the median from 2 runs on, however much the
/// runs differ, and about so much for p90 and p99 while runs differ by no more than half of what the samples
/// in a run do. Where they differ by more, a far quantile rests on the one or two slowest runs and the
/// interval is too narrow: only more runs help.
///
/// One group: quantile_estimate(). Empty groups do not count. No interval below samples_needed(q) samples.
Estimate quantile_over_groups(std::span<const std::vector<double>> groups, double q);

/// The q-quantile (0 < q < 1) of the samples of one run in the order of their times, each of which may
/// resemble those before it: in a queue one slow request makes the next ones slow.
/// Interval: the hull of quantile_estimate()'s and of Woodruff's over contiguous stretches of equally many
/// samples (batches: Law, Simulation Modeling and Analysis, section 9.5.3; for quantiles Chen, Kelton,
/// Winter Simulation Conference 2004), 20 of them, or 10 or 5 where the shares of neighbouring stretches are
/// still correlated. What happens fewer than some ten times in a run, as one long stall, no interval of that
/// run can tell. No interval below samples_needed(q).
Estimate quantile_in_sequence(std::span<const double> samples, double q);

}  // namespace neph::stats
