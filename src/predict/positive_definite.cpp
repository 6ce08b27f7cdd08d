#include "predict/positive_definite.hpp"

#include <Eigen/Cholesky>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::Lower;
using Eigen::MatrixXd;

constexpr Index small = 48;  ///< as fast to invert in one piece

/// [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1, C^-1]: a third of the work of solving for the identity, which knows
/// nothing of the zeros.
void invert_triangle(Eigen::Ref<MatrixXd> factor) {
  const auto size = factor.rows();
  if (size <= small) {
    const MatrixXd whole = factor.triangularView<Lower>();
    factor.triangularView<Lower>() =
        whole.triangularView<Lower>().solve(MatrixXd::Identity(size, size)).eval();
    return;
  }
  const auto half = size / 2, rest = size - half;
  invert_triangle(factor.topLeftCorner(half, half));
  invert_triangle(factor.bottomRightCorner(rest, rest));
  const MatrixXd across =
      factor.bottomLeftCorner(rest, half) * factor.topLeftCorner(half, half).triangularView<Lower>();
  factor.bottomLeftCorner(rest, half) =
      -(factor.bottomRightCorner(rest, rest).triangularView<Lower>() * across);
}

}  // namespace

bool factorise(MatrixXd& matrix) {
  const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(matrix);
  return factor.info() == Eigen::Success;
}

Eigen::VectorXd solve(const MatrixXd& factor, Eigen::VectorXd right) {
  factor.triangularView<Lower>().solveInPlace(right);
  factor.transpose().triangularView<Eigen::Upper>().solveInPlace(right);
  return right;
}

void invert(MatrixXd& factor) {
  invert_triangle(factor);
  const MatrixXd inverse = factor.triangularView<Lower>();
  factor.setZero();
  factor.selfadjointView<Lower>().rankUpdate(inverse.transpose());
}

}  // namespace neph::predict
