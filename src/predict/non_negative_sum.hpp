// Times as sums of features with coefficients that are never below 0: those of the literature's regression
// (lattuada.hpp), and Ernest's.
#pragma once

#include "predict/feature.hpp"

namespace neph::predict {

/// Least squares of the time itself over 1 and `features`: Lawson and Hanson's method (linear.hpp) on normal
/// equations says which features count, and on those alone what for; what it missed is then added until
/// nothing is. Features that are not finite are left out.
FeatureSum fit_non_negative(const std::vector<Feature>& features, const Inputs& inputs,
                            const Eigen::VectorXd& log_target);

/// With products of up to two columns and inverses.
FeatureSum fit_nnls(const Inputs& inputs, const Eigen::VectorXd& log_target);

}  // namespace neph::predict
