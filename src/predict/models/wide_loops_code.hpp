// The code of WideLoops, which wide_loops.cpp and wide_loops_avx2.cpp include, each under a name of its
// own, NEPH_LOOPS, and nobody else.
#include <Eigen/Cholesky>

#include "predict/models/wide_loops.hpp"

namespace neph::predict::NEPH_LOOPS {
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

bool factorise_columns(double* matrix, Index size) {
  Eigen::Map<MatrixXd> all(matrix, size, size);
  const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(all);
  return factor.info() == Eigen::Success;
}

void solve_columns(const double* factor, Index size, double* right) {
  const Eigen::Map<const MatrixXd> all(factor, size, size);
  Eigen::Map<Eigen::VectorXd> x(right, size);
  all.triangularView<Lower>().solveInPlace(x);
  all.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

void invert_columns(double* factor, Index size) {
  Eigen::Map<MatrixXd> all(factor, size, size);
  invert_triangle(all);
  square_triangle(all);
}

/// From here on exp(-s) would be denormal, which takes a processor fifty times as long as any other number.
constexpr double furthest = 700;

/// (1 + s + s^2 / 3) exp(-s), and its slope -(1 + s) exp(-s) / 6, of `Size` others: as many as make registers
/// busy while each waits for its last result.
template <int Size>
void compare_some(const double* here, const double* others, Index stride, Index numbers, double* matern,
                  double* slope) {
  using Some = Eigen::Array<double, Size, 1>;
  Some squares = Some::Zero();
  for (Index j = 0; j < numbers; ++j)
    squares += (Eigen::Map<const Some>(others + j * stride) - here[j]).square();
  const Some s = squares.sqrt().min(furthest), decay = (-s).exp();
  Eigen::Map<Some>{matern} = (1 + s + s.square() * (1.0 / 3)) * decay;
  Eigen::Map<Some>{slope} = (1 + s) * decay * (-1.0 / 6);
}

void compare_columns(const double* here, const double* others, Index stride, Index count, Index numbers,
                     double* matern, double* slope) {
  constexpr Index many = 16;
  if (count < many) {
    for (Index i = 0; i < count; ++i)
      compare_some<1>(here, others + i, stride, numbers, matern + i, slope + i);
    return;
  }
  for (Index next = 0; next < count; next += many) {
    const Index i = std::min(next, count - many);  // the last ones a second time, rather than one by one
    compare_some<many>(here, others + i, stride, numbers, matern + i, slope + i);
  }
}

constexpr WideLoops loops{factorise_columns, solve_columns, invert_columns, compare_columns};

}  // namespace
}  // namespace neph::predict::NEPH_LOOPS
