// Powers and roots of a smooth maximum (sum of x^p)^(1/p): the same bits on every machine for the exponents
// 1, 2 and 4.
#pragma once

#include <Eigen/Core>

namespace neph::predict {

/// x^p, of whole powers by multiplication.
Eigen::MatrixXd powered(const Eigen::MatrixXd& x, double power);

/// x^(1/p), of positive numbers.
Eigen::VectorXd rooted(const Eigen::VectorXd& x, double power);

}  // namespace neph::predict
