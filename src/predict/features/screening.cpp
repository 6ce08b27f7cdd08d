#include "predict/features/screening.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "predict/models/kernel_fit.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;
using Eigen::VectorXd;
using Eigen::VectorXi;

constexpr std::size_t most_rows = 1000;
constexpr Index rows_per_column = 4, fewest = 4;
// What is less is rounding:
constexpr double least_length = 1e-9;  ///< of a column around its mean, beside its numbers'
constexpr double least_square = 1e-9;  ///< of what those before it leave of a column of length 1
constexpr double least_share = 1e-9;   ///< of the variance that a category explains

/// Around their means, each of length 1; of length 0 where it never differs.
MatrixXd directions(const MatrixXd& numbers) {
  MatrixXd all = numbers.rowwise() - numbers.colwise().mean();
  const Eigen::ArrayXd lengths = all.colwise().norm(), sizes = numbers.colwise().norm();
  return all * (lengths > least_length * sizes).select(1 / lengths, 0).matrix().asDiagonal();
}

std::vector<Index> all_of(Index columns) {
  std::vector<Index> all(static_cast<std::size_t>(columns));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

/// Of each row: the mean of the values of its level.
VectorXd means_by_level(const VectorXd& values, const VectorXi& levels) {
  std::map<int, std::pair<double, double>> sums;  // and how many
  for (Index i = 0; i < values.size(); ++i) {
    auto& [sum, count] = sums[levels[i]];
    sum += values[i];
    ++count;
  }
  VectorXd means(values.size());
  for (Index i = 0; i < values.size(); ++i) means[i] = sums[levels[i]].first / sums[levels[i]].second;
  return means;
}

/// Share of the variance that levels explain beyond what noise in as many would.
double adjusted_share(const VectorXd& rest, const VectorXi& levels) {
  const double unexplained = (rest - means_by_level(rest, levels)).squaredNorm();
  const auto rows = static_cast<double>(rest.size()),
             count = static_cast<double>(std::set<int>(levels.begin(), levels.end()).size());
  if (!(rest.squaredNorm() > 0) || count < 2 || rows <= count) return 0;
  return 1 - unexplained / rest.squaredNorm() * (rows - 1) / (rows - count);
}

}  // namespace

std::vector<Index> strongest(const MatrixXd& numbers, const VectorXd& target, Index most) {
  if (numbers.cols() <= most) return all_of(numbers.cols());
  std::vector<Index> chosen;
  most = std::min(most, std::max(fewest, numbers.rows() / rows_per_column));
  const auto rows = drawn_rows(static_cast<std::size_t>(numbers.rows()), most_rows);
  const auto count = static_cast<double>(rows.size());
  const double least_gain = std::log(count) + 2 * std::log(static_cast<double>(numbers.cols()));
  MatrixXd left = directions(numbers(rows, Eigen::all));
  VectorXd rest = target(rows).array() - target(rows).mean();
  const double rounding = least_square * rest.squaredNorm();
  while (std::ssize(chosen) < most && rest.squaredNorm() > rounding) {
    const VectorXd squares = left.colwise().squaredNorm();
    const VectorXd gains = (squares.array() > least_square)
                               .select((left.transpose() * rest).array().square() / squares.array(), -1);
    Index best = 0;
    if (gains.maxCoeff(&best) < 0) break;
    const double before = rest.squaredNorm(), after = std::max(before - gains[best], rounding);
    if (!chosen.empty() && !(count * std::log(before / after) > least_gain)) break;
    const VectorXd direction = left.col(best) / std::sqrt(squares[best]);
    left -= direction * (direction.transpose() * left).eval();
    left.col(best).setZero();
    rest -= direction * direction.dot(rest);
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<Index> strongest(const MatrixXi& levels, const VectorXd& target, Index most) {
  if (levels.cols() <= most) return all_of(levels.cols());
  const auto rows = drawn_rows(static_cast<std::size_t>(levels.rows()), most_rows);
  const MatrixXi some = levels(rows, Eigen::all);
  VectorXd rest = target(rows).array() - target(rows).mean();
  std::vector<Index> chosen;
  while (std::ssize(chosen) < most) {
    VectorXd shares = VectorXd::Zero(some.cols());
    for (Index c = 0; c < some.cols(); ++c)
      if (std::ranges::find(chosen, c) == chosen.end()) shares[c] = adjusted_share(rest, some.col(c));
    Index best = 0;
    if (!(shares.maxCoeff(&best) > least_share)) break;
    rest -= means_by_level(rest, some.col(best));
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace neph::predict
