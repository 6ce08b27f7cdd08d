// Ernest (Venkataraman, Yang, Franklin, Recht, Stoica, Ernest: Efficient performance prediction for
// large-scale advanced analytics, NSDI 2016): a time is a sum, with coefficients that are never below 0, of a
// constant, data over machines (work that is shared), the logarithm of the machines (a tree of messages) and
// the machines (what is done for each).
#pragma once

#include "predict/feature.hpp"

namespace neph::predict {

/// What its terms are where no column is known to be data or machines: of each quantity itself, its inverse
/// and its logarithm over the least that was measured, and each quantity over each other. Ernest is fitted to
/// one job on one kind of machine: each term also counts for each level of each category alone.
std::vector<Feature> ernest_features(const Inputs& inputs);

FeatureSum fit_ernest(const Inputs& inputs, const Eigen::VectorXd& log_target);

}  // namespace neph::predict
