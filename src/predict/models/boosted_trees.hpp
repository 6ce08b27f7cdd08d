// Boosted regression trees (Friedman, Annals of Statistics 29(5), 2001), grown and asked by XGBoost (Chen,
// Guestrin, KDD 2016), on one thread each: the same rows grow the same trees whatever the machine does
// beside. Threads: asking the same trees from several is fine.
#pragma once

#include <memory>
#include <string>

#include "core/result.hpp"
#include "predict/features/feature_matrix.hpp"

namespace neph::predict {

/// What trees ask of: numbers in single precision.
using TreeColumns = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Categories as numbers: a column for each of a category's most frequent levels, 1 where it is the row's.
/// One with more levels also has a column with the effect of the level, which brings levels into the order in
/// which splits of squared errors part them best (Fisher, JASA 53, 1958).
struct LevelColumns {
  std::vector<std::vector<int>> own;     ///< levels with a column, of each category
  std::vector<Eigen::VectorXd> effects;  ///< of each level; empty: each level has a column of its own

  /// Effects are means of the target by level, drawn towards 0 where a level has few rows.
  static LevelColumns learn(const FeatureMatrix& rows, const Eigen::VectorXd& target);
  /// Rows by columns: the numbers, then those of each category. Of an unseen level all are 0. Numbers too
  /// large for single precision are taken for the largest one.
  TreeColumns of(const FeatureMatrix& rows) const;
  Eigen::Index count() const;  ///< of columns beside the numbers
};

class BoostedTrees {
 public:
  /// Errors: invalid_argument (no rows, or numbers that are not finite); internal (what XGBoost says).
  static Result<BoostedTrees> grow(const FeatureMatrix& rows, const Eigen::VectorXd& target);
  /// As `text()` gave it. Error: corrupt (XGBoost does not take it).
  static Result<BoostedTrees> read(LevelColumns levels, const std::string& text);

  Eigen::VectorXd values(const FeatureMatrix& at) const;
  const LevelColumns& levels() const { return levels_; }
  std::string text() const;  ///< XGBoost's JSON
  /// Whether they may be asked of rows with so many numbers and categories.
  bool are_of(Eigen::Index numbers, Eigen::Index categories) const;

 private:
  BoostedTrees(std::shared_ptr<void> booster, LevelColumns levels, Eigen::Index columns)
      : booster_(std::move(booster)), levels_(std::move(levels)), columns_(columns) {}
  std::shared_ptr<void> booster_;
  LevelColumns levels_;
  Eigen::Index columns_;  ///< that XGBoost expects
};

}  // namespace neph::predict
