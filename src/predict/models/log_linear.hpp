// The logarithm of a time as a sum: powers of quantities, and a factor of each category.
#pragma once

#include <vector>

#include "predict/features/feature_matrix.hpp"

namespace neph::predict {

struct LogLinear {
  Scaling scaling;
  double level = 0;                      ///< at the mean of the features
  Eigen::VectorXd slopes;                ///< of the scaled features
  std::vector<Eigen::VectorXd> factors;  ///< logarithms, one vector per category, 0 on average

  Eigen::VectorXd log_mean(const FeatureMatrix& at) const;
};

/// Ridge with the penalty, of slopes and factors alike, that predicts each row best from all others (PRESS:
/// Allen, Technometrics 16, 1974).
LogLinear fit_log_linear(const FeatureMatrix& rows, const Eigen::VectorXd& log_target);

/// The share of the target's variance that such a sum says of each row from all others; 0 or below: none.
double share_said(const FeatureMatrix& rows, const Eigen::VectorXd& target);

/// The mean of all rows, whatever their features.
LogLinear constant_level(const FeatureMatrix& rows, const Eigen::VectorXd& log_target);

}  // namespace neph::predict
