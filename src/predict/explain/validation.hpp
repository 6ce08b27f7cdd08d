// How well methods predict rows of a table that they were not fitted on.
#pragma once

#include <span>
#include <vector>

#include "predict/ensemble/model.hpp"
#include "predict/explain/split.hpp"
#include "record/validation.hpp"

namespace neph::predict {

PredictedPoint point_of(std::size_t split, std::size_t point, double measured, const Prediction& prediction);

Score score_of(std::span<const PredictedPoint> points);

/// What each method did on all splits. `fit` is as it is given but for its method; its progress counts the
/// fits of all, by one thread. Error: invalid_argument (none could be fitted on any split).
Result<std::vector<ValidatedMethod>> validate(const Profile& profile, const std::vector<Split>& splits,
                                              const std::vector<Method>& methods, const FitOptions& fit);

/// By each column of few values.
std::vector<Slice> slices_of(const Profile& profile, std::span<const PredictedPoint> points);

/// The points of a split, of all in the order of the splits.
std::span<const PredictedPoint> of_split(std::span<const PredictedPoint> points, std::size_t split);

}  // namespace neph::predict
