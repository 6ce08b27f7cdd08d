#include "predict/smooth_maximum.hpp"

#include <cmath>

#include "predict/steady_math.hpp"

namespace neph::predict {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd powered(const MatrixXd& x, double power) {
  if (power != std::floor(power)) return x.array().pow(power);
  MatrixXd product = x;
  for (int i = 1; i < static_cast<int>(power); ++i) product.array() *= x.array();
  return product;
}

VectorXd rooted(const VectorXd& x, double power) {
  if (power == 1) return x;
  if (power == 2) return x.cwiseSqrt();
  if (power == 4) return x.cwiseSqrt().cwiseSqrt();
  return x.unaryExpr([power](double value) { return steady::exp(steady::log(value) / power); });
}

}  // namespace neph::predict
