// Linear least squares whose coefficients are rates, and therefore never below 0.
// Pure functions of matrices; threads: any. Rows are observations, columns are terms.
#pragma once

#include <Eigen/Core>

namespace neph::predict {

/// min |A x - b|^2 with every x_j >= 0: the active set method of Lawson and Hanson, Solving Least Squares
/// Problems, 1974, chapter 23. Columns are brought to length 1 first, so that their units do not matter; a
/// column of zeros gets 0.
Eigen::VectorXd non_negative(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace neph::predict
