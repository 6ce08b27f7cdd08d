// The logarithm of a time as a sum: powers of quantities, and a factor of each category.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "predict/process.hpp"

namespace neph::predict {

struct LogLinear {
  Scaling scaling;
  double level = 0;                      ///< at the mean of the features
  Eigen::VectorXd slopes;                ///< of the scaled features
  std::vector<Eigen::VectorXd> factors;  ///< logarithms, one vector per category

  Eigen::VectorXd log_mean(const Places& places) const;
};

/// Ridge; `penalty`: of slopes and factors alike, in rows of unit size.
LogLinear fit_log_linear(const Places& places, const Eigen::VectorXd& log_target, double penalty = 0.1);

}  // namespace neph::predict
