// stats: numbers from samples.
//
// What it is: quantiles, means, outliers, trends, the end of a warm-up, the ratio of two cells,
// laws of scaling. Every figure is an Estimate: a value with a 95 % interval, left empty where the samples
// cannot carry one.
//
// What it does not do: read clocks, know units, print. It computes in the unit that it is given.
//
// Samples: finite numbers in the order in which they were taken. One that is not finite makes the figure
// unknown (value NaN, n 0) instead of being dropped in silence. Intervals over samples take them as
// independent. Successive batches of one run rarely are: figures of a cell come from its repeats
// (mean_estimate, quantile_over_groups).
//
// Seeds: what draws random numbers takes a seed and gives the same result for it on every machine.
// Threads: free functions are pure; a Warmup belongs to one thread at a time.
// Ownership: spans are borrowed for the call, results are values. Cost: stated where it is more than a sort.
#pragma once

#include "stats/change_points.hpp"
#include "stats/compare.hpp"
#include "stats/difference.hpp"
#include "stats/mean.hpp"
#include "stats/outliers.hpp"
#include "stats/quantile.hpp"
#include "stats/scaling_laws.hpp"
#include "stats/sequential.hpp"
#include "stats/series_mean.hpp"
#include "stats/share.hpp"
#include "stats/trend.hpp"
#include "stats/warmup.hpp"
