// Regression trees that add up (Friedman, Annals of Statistics 29(5), 2001), in plain arrays: whatever grew
// them, they are kept, read and asked here, with the same bits on every machine.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "predict/process.hpp"

namespace neph::predict {

/// What trees ask of: numbers in single precision, as XGBoost compares them.
using TreeColumns = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Categories as numbers. Each has a column with the effect of the level, which brings levels into the order
/// in which splits of squared errors part them best (Fisher, JASA 53, 1958); one with few levels also has a
/// column for each of them, 1 where it is the row's.
struct LevelColumns {
  std::vector<Eigen::VectorXd> effects;  ///< of each level, one vector per category

  /// Means of the target by level, drawn towards 0 where a level has few rows.
  static LevelColumns learn(const Eigen::MatrixXi& levels, const Eigen::VectorXd& target);
  Eigen::Index count() const;
  /// Rows by columns: the numbers, then those of each category. A level that is not known has an effect of 0
  /// and is none of the others. Numbers too large for single precision are taken for the largest one.
  TreeColumns of(const Places& places) const;
};

/// Nodes of all trees, one tree after the other. A node asks whether a column is below its number: if so the
/// left child is next, if not, or if the column has no number (NaN, which a Design never lets through), the
/// right one, which lies behind the left one. Children lie behind their parent.
struct Trees {
  LevelColumns levels;
  std::vector<std::int64_t> roots;    ///< the first node of each tree
  std::vector<std::int64_t> columns;  ///< that a node asks of; -1: a leaf
  std::vector<std::int64_t> lefts;    ///< the left child; 0 of a leaf
  std::vector<double> numbers;        ///< what the column is compared with; of a leaf: what it adds

  /// Sums over the trees, in their order.
  Eigen::VectorXd values(const Places& at) const;
  /// The same of columns that are made already.
  Eigen::VectorXd values(const TreeColumns& at) const;
  /// Whether every walk through them, over so many columns, ends at a leaf.
  bool are_sound(Eigen::Index numbers_of_places) const;
};

}  // namespace neph::predict
