// How long a whole training takes, told from some of its steps.
#pragma once

#include <cstdint>
#include <span>

#include "core/estimate.hpp"

namespace neph::workload {

/// What is over of a training, and what is to come.
struct TrainingCourse {
  double past_s = 0;                   ///< learning and verifying that is over
  std::int64_t samples_left = 0;       ///< to be learnt
  std::int64_t test_samples_left = 0;  ///< to be verified with, in all epochs to come
  std::int64_t batch = 1;              ///< samples of a step and of a batch of verifying
};

/// Seconds of learning one sample: the mean over all steps that were measured, with the interval of the mean
/// of the next `future` samples (stats::mean_of_next). `step_s` are the times of the full steps.
Estimate sample_time(std::span<const double> step_s, std::int64_t batch, double all_s, std::int64_t samples,
                     double future);

/// `learning`: sample_time() of the samples that are left; `verify_s`: times of full batches of verifying,
/// the first left out where it did what only a first one does. The interval is of both parts, as if they had
/// nothing to do with each other. Nothing left: what is over, without an interval, as it was measured.
Estimate training_time(const TrainingCourse& course, const Estimate& learning,
                       std::span<const double> verify_s);

/// Batches of verifying that are measured beside so many steps, where the training is not done to its end.
std::int64_t slice_batches(std::int64_t steps);

/// The rate of a time: its shortest is the highest.
Estimate inverse(const Estimate& time);

/// Seconds of verifying `samples`, from the times of full batches.
Estimate verifying_time(std::span<const double> verify_s, std::int64_t batch, std::int64_t samples);

}  // namespace neph::workload
