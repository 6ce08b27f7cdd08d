// How well methods predict rows of a table that they were not fitted on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/ensemble/model.hpp"
#include "predict/explain/split.hpp"
#include "record/validation.hpp"

namespace neph::predict {

PredictedPoint point_of(std::size_t split, std::size_t point, double measured, const Prediction& prediction);

Score score_of(std::span<const PredictedPoint> points);

struct ValidationSettings {
  std::vector<Method> methods;
  FitOptions fit;  ///< but for its method and progress
  /// `done` of `all` fits; called by one thread.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// What each method did on all splits. Error: invalid_argument (none could be fitted on any split).
Result<std::vector<ValidatedMethod>> validate(const Profile& profile, const std::vector<Split>& splits,
                                              const ValidationSettings& settings);

/// By each column of few values.
std::vector<Slice> slices_of(const Profile& profile, std::span<const PredictedPoint> points);

/// The points of a split, of all in the order of the splits.
std::span<const PredictedPoint> of_split(std::span<const PredictedPoint> points, std::size_t split);

}  // namespace neph::predict
