// How long a whole training takes, told from some of its steps.
#pragma once

#include <cstdint>
#include <span>

#include "core/estimate.hpp"

namespace neph::workload {

/// Seconds of learning one sample: the mean over all steps that were measured, with the interval of the mean
/// of the next `future` samples (stats::mean_of_next). `step_s` are the times of the full steps.
Estimate sample_time(std::span<const double> step_s, std::int64_t batch, double all_s, std::int64_t samples,
                     double future);

/// `known_s`, which is over or known well, and so many samples that are left; never less than `known_s`.
Estimate training_time(double known_s, const Estimate& sample, std::int64_t samples_left);

/// Batches of verifying that are measured beside so many steps, where the training is not done to its end.
std::int64_t slice_batches(std::int64_t steps);

/// The rate of a time: its shortest is the highest.
Estimate inverse(const Estimate& time);

}  // namespace neph::workload
