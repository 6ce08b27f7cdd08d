#include "predict/trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index most_own_columns = 16;         ///< levels of a category that has a column for each
constexpr double rows_an_effect_is_worth = 2;  ///< of no effect, beside those of a level
constexpr Index rows_at_once = 64;             ///< so that a tree's nodes stay in the nearest cache

/// The nearest number of single precision that is not infinite.
float single(double value) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -most, most));
}

Index own_columns(const VectorXd& effects) { return effects.size() <= most_own_columns ? effects.size() : 0; }

}  // namespace

LevelColumns LevelColumns::learn(const Eigen::MatrixXi& levels, const VectorXd& target) {
  LevelColumns columns;
  for (Index c = 0; c < levels.cols(); ++c) {
    const Index count = levels.rows() == 0 ? 0 : std::max(0, levels.col(c).maxCoeff() + 1);
    VectorXd sums = VectorXd::Zero(count), rows = VectorXd::Constant(count, rows_an_effect_is_worth);
    for (Index i = 0; i < levels.rows(); ++i) {
      if (levels(i, c) < 0) continue;
      sums[levels(i, c)] += target[i];
      rows[levels(i, c)] += 1;
    }
    columns.effects.emplace_back(sums.cwiseQuotient(rows));
  }
  return columns;
}

Index LevelColumns::count() const {
  Index all = 0;
  for (const auto& each : effects) all += 1 + own_columns(each);
  return all;
}

TreeColumns LevelColumns::of(const Places& places) const {
  const Index numbers = places.numbers.cols();
  TreeColumns all = TreeColumns::Zero(places.numbers.rows(), numbers + count());
  all.leftCols(numbers) = places.numbers.unaryExpr(&single);
  Index begin = numbers;
  for (std::size_t c = 0; c < effects.size(); ++c) {
    const auto own = own_columns(effects[c]);
    for (Index i = 0; i < all.rows(); ++i) {
      const int level = places.levels(i, static_cast<Index>(c));
      if (level < 0 || level >= effects[c].size()) continue;
      all(i, begin) = single(effects[c][level]);
      if (own > 0) all(i, begin + 1 + level) = 1;
    }
    begin += 1 + own;
  }
  return all;
}

VectorXd Trees::values(const Places& at) const { return values(levels.of(at)); }

VectorXd Trees::values(const TreeColumns& at) const {
  VectorXd sums = VectorXd::Zero(at.rows());
  for (Index begin = 0; begin < at.rows(); begin += rows_at_once) {
    const Index end = std::min(at.rows(), begin + rows_at_once);
    for (const auto root : roots) {
      for (Index row = begin; row < end; ++row) {
        auto node = static_cast<std::size_t>(root);
        while (columns[node] >= 0)
          node = static_cast<std::size_t>(lefts[node]) + (at(row, columns[node]) < numbers[node] ? 0 : 1);
        sums[row] += numbers[node];
      }
    }
  }
  return sums;
}

bool Trees::are_sound(Index numbers_of_places) const {
  const auto nodes = std::ssize(columns);
  if (std::ssize(lefts) != nodes || std::ssize(numbers) != nodes) return false;
  const auto is_node = [&](std::int64_t node) { return node >= 0 && node < nodes; };
  if (!std::all_of(roots.begin(), roots.end(), is_node)) return false;
  for (std::int64_t i = 0; i < nodes; ++i) {
    const auto node = static_cast<std::size_t>(i);
    if (!std::isfinite(numbers[node]) || columns[node] >= numbers_of_places + levels.count()) return false;
    if (columns[node] >= 0 && (lefts[node] <= i || lefts[node] >= nodes - 1)) return false;
  }
  return true;
}

}  // namespace neph::predict
