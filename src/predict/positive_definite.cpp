#include "predict/positive_definite.hpp"

#include <Eigen/Cholesky>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::Lower;
using Eigen::MatrixXd;

constexpr Index small = 48;  ///< as fast in one piece

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
  auto first = factor.topLeftCorner(half, half), across = factor.bottomLeftCorner(rest, half),
       last = factor.bottomRightCorner(rest, rest);
  invert_triangle(first);
  invert_triangle(last);
  const MatrixXd through = across * first.triangularView<Lower>();
  across = -(last.triangularView<Lower>() * through);
}

/// Of L'L, in place of L, the lower triangle: [A 0; B C]'[A 0; B C] = [A'A + B'B, .; C'B, C'C].
void square_triangle(Eigen::Ref<MatrixXd> factor) {
  const auto size = factor.rows();
  if (size <= small) {
    const MatrixXd whole = factor.triangularView<Lower>();
    factor.triangularView<Lower>() = whole.transpose() * whole;
    return;
  }
  const auto half = size / 2, rest = size - half;
  auto first = factor.topLeftCorner(half, half), across = factor.bottomLeftCorner(rest, half),
       last = factor.bottomRightCorner(rest, rest);
  square_triangle(first);
  first.selfadjointView<Lower>().rankUpdate(across.transpose());
  across = (last.transpose().triangularView<Eigen::Upper>() * across).eval();
  square_triangle(last);
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
  square_triangle(factor);
}

}  // namespace neph::predict
