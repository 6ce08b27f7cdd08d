#include "predict/screening.hpp"

#include <algorithm>
#include <numeric>

#include "predict/kernel_choice.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_rows = 1000;
constexpr Index rows_per_column = 4, fewest = 4;
constexpr double nothing = 1e-9;  ///< of a length that was left: rounding

/// Around their means, each of length 1; of length 0 where it never differs.
MatrixXd directions(const MatrixXd& numbers) {
  MatrixXd all = numbers.rowwise() - numbers.colwise().mean();
  for (Index j = 0; j < all.cols(); ++j) {
    const double length = all.col(j).norm();
    if (length > nothing * numbers.col(j).norm())
      all.col(j) /= length;
    else
      all.col(j).setZero();
  }
  return all;
}

}  // namespace

std::vector<Index> strongest(const MatrixXd& numbers, const VectorXd& target, Index most) {
  std::vector<Index> chosen(static_cast<std::size_t>(numbers.cols()));
  std::iota(chosen.begin(), chosen.end(), Index{0});
  if (numbers.cols() <= most) return chosen;
  chosen.clear();
  most = std::min(most, std::max(fewest, numbers.rows() / rows_per_column));
  const auto rows = drawn_rows(static_cast<std::size_t>(numbers.rows()), most_rows);
  MatrixXd left = directions(numbers(rows, Eigen::all));
  VectorXd rest = target(rows).array() - target(rows).mean();
  while (std::ssize(chosen) < most) {
    const VectorXd squares = left.colwise().squaredNorm();
    const VectorXd gains =
        (squares.array() > nothing).select((left.transpose() * rest).array().square() / squares.array(), -1);
    Index best = 0;
    if (gains.maxCoeff(&best) < 0 && !chosen.empty()) break;
    const VectorXd direction = left.col(best) / std::max(nothing, std::sqrt(squares[best]));
    left -= direction * (direction.transpose() * left).eval();
    left.col(best).setZero();
    rest -= direction * direction.dot(rest);
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace neph::predict
