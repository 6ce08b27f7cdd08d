// What a process says of many rows: of each, the sum over the points it follows of covariance times weight.
#pragma once

#include <vector>

#include "predict/models/gaussian_process.hpp"

namespace neph::predict {

/// In an order in which their sums take the least time: rows with the same numbers together, as different
/// machines with the same work have them, then those with the same levels.
void sort_by_features(std::vector<std::size_t>& rows, const FeatureMatrix& places);

/// Of each row of `at` the sum over `points`, both as the kernel sees them (scaled): the same to rounding,
/// whatever rows are asked with it. Cost: different numbers among rows that stand together (sort_by_features)
/// times different numbers of points, and points times combinations of levels among the rows.
Eigen::VectorXd kernel_sums(const FeatureMatrix& points, const Eigen::VectorXd& weights, const Kernel& kernel,
                            const FeatureMatrix& at);

}  // namespace neph::predict
