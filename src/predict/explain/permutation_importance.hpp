// What each feature contributes to predictions.
#pragma once

#include "predict/explain/validation.hpp"

namespace neph::predict {

/// Permutation importance (Breiman, Machine Learning 45, 2001; Fisher, Rudin, Dominici, JMLR 20(177), 2019):
/// the method of `options` is fitted on four fifths of the points, and predicts the rest as it is and with
/// the values of one column shuffled among its rows. The factor is what the mean absolute error of the
/// logarithm grows by, as a factor; over five folds (one of more than 500 points) and three shuffles each, of
/// columns that differ; the largest first. Rows that are refused as shuffled (a network that cannot be built
/// with such small pictures) are left out. The same for the same seed. `options.progress` counts fits. Error:
/// invalid_argument (no fold could be fitted).
Result<std::vector<Contribution>> permutation_importance(const Profile& profile, const FitOptions& options,
                                                         std::uint64_t seed);

}  // namespace neph::predict
