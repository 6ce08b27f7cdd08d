// The mean over repeats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/estimate.hpp"

namespace neph::stats {

struct Mean {
  Estimate estimate;                     ///< with Student's t interval; n >= 2
  std::optional<double> deviation;       ///< of one sample (divisor n - 1); n >= 2
  std::optional<double> standard_error;  ///< of the mean: deviation / sqrt(n); n >= 2
};

/// Mean, deviation, standard error and Student's t interval (Student, Biometrika 6(1), 1908): exact for
/// normal samples, near 95 % for means of runs, which are sums of many times.
Mean mean_of(std::span<const double> samples);

/// Half of Student's 95 % interval of n >= 2 samples in standard errors: 12.7 of 2, 4.30 of 3, towards 1.96.
double student_errors(std::int64_t n);

/// mean_of(samples).estimate: the figure of a cell over its repeats.
Estimate mean_estimate(std::span<const double> samples);

/// The mean of sets that were measured side by side, each once in every block: all have as many samples, in
/// the order of the blocks. The interval is the wider of two: Student's t over the blocks' means, which are
/// what is independent where a block moves all sets alike; and that of the deviations within each set, pooled
/// over the sets, which two or three blocks whose means happen to agree do not hide. n: blocks.
Estimate mean_over_blocks(std::span<const std::vector<double>> sets);

}  // namespace neph::stats
