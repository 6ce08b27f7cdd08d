// How errors fall with the number of points that a method is fitted on.
#pragma once

#include "predict/explain/validation.hpp"

namespace neph::predict {

/// The method of `options` fitted on 20, 40, 80, ... random points, at last on four fifths of them (never on
/// more than 2560), in three draws up to 320 and one beyond, predicts the others, of which a draw is taken
/// where they are many. Empty where there are fewer than 25 points. The same for the same seed.
/// `options.progress` counts fits. Errors: those of validate().
Result<std::vector<LearningPoint>> learning_curve(const Profile& profile, const FitOptions& options,
                                                  std::uint64_t seed);

}  // namespace neph::predict
