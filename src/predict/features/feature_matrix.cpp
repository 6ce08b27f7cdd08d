#include "predict/features/feature_matrix.hpp"

#include <algorithm>
#include <numeric>

#include "core/random.hpp"

namespace neph::predict {

using Eigen::Index;
using Eigen::VectorXd;

FeatureMatrix rows_of(const FeatureMatrix& matrix, std::span<const std::size_t> rows) {
  return {some_rows(matrix.numbers, rows), some_rows(matrix.levels, rows)};
}

VectorXd rows_of(const VectorXd& values, std::span<const std::size_t> rows) {
  VectorXd part(std::ssize(rows));
  for (Index i = 0; i < part.size(); ++i)
    part[i] = values[static_cast<Index>(rows[static_cast<std::size_t>(i)])];
  return part;
}

std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t most,
                                    const std::vector<std::size_t>& staying) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (count <= most) return all;
  std::vector<std::size_t> others, rows;
  std::ranges::set_difference(all, staying, std::back_inserter(others));
  const auto wanted = most - std::min(most, staying.size());
  Random random(count);
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto begin = i * others.size() / wanted, end = (i + 1) * others.size() / wanted;
    rows.push_back(others[begin + random.below(end - begin)]);
  }
  rows.insert(rows.end(), staying.begin(), staying.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::size_t> drawn_from(const std::vector<std::size_t>& rows, std::size_t most) {
  std::vector<std::size_t> drawn;
  for (const auto place : drawn_rows(rows.size(), most)) drawn.push_back(rows[place]);
  return drawn;
}

Index level_count(const FeatureMatrix& matrix, Index category) {
  return matrix.levels.rows() == 0 ? 0 : std::max(0, matrix.levels.col(category).maxCoeff() + 1);
}

Scaling Scaling::of(const Eigen::MatrixXd& numbers) {
  Scaling scaling{numbers.colwise().mean(), {}};
  const auto rows = static_cast<double>(std::max<Index>(1, numbers.rows()));
  scaling.width = ((numbers.rowwise() - scaling.center).colwise().squaredNorm() / rows).cwiseSqrt();
  for (Index j = 0; j < numbers.cols(); ++j)
    if (!(scaling.width[j] > 1e-9 * std::abs(scaling.center[j]))) scaling.width[j] = 1;  // it never differed
  return scaling;
}

FeatureMatrix Scaling::apply(const FeatureMatrix& matrix) const {
  return {(matrix.numbers.rowwise() - center).array().rowwise() / width.array(), matrix.levels};
}

}  // namespace neph::predict
