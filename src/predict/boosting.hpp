// How many trees, and which: boosted trees for what a backbone leaves.
#pragma once

#include "predict/booster.hpp"

namespace neph::predict {

struct BoostingSettings {
  BoosterSettings booster;
  /// Trees are added until the error of a part of the rows that they were not grown on has not become less by
  /// this share for so many rounds.
  int patience = 30;
  double least_gain = 1e-3;
  int most_trees = 1000;
  std::size_t share_watched = 5;  ///< one row of so many is watched
  /// Grow as many on all rows then; false: take those that were grown on most of them, at half the cost.
  bool on_all_rows = true;
};

/// Grows trees on most rows while the others are watched. The same for the same rows. Errors:
/// invalid_argument (no rows, or numbers that are not finite); internal (what XGBoost says).
Result<Trees> boost(const Places& places, const Eigen::VectorXd& target,
                    const BoostingSettings& settings = {});

}  // namespace neph::predict
