// What a process says of many rows: of each, the sum over the points it follows of covariance times weight.
#pragma once

#include <vector>

#include "predict/models/gaussian_process.hpp"

namespace neph::predict {

/// In an order in which their sums take the least time: rows with the same numbers together, as different
/// machines with the same work have them, then those with the same levels.
void sort_by_features(std::vector<std::size_t>& rows, const FeatureMatrix& places);

/// Sums of many rows: each is the same to rounding, whatever rows are asked with it.
class KernelPredictor {
 public:
  /// `points` as the kernel sees them (scaled); all must outlive it. Cost: a pass over the points.
  KernelPredictor(const FeatureMatrix& points, const Eigen::VectorXd& weights, const Kernel& kernel);

  /// Cost: different numbers among rows that stand together (sort_by_features) times places, and points times
  /// combinations of levels among the rows. Threads: any.
  Eigen::VectorXd at(const FeatureMatrix& scaled) const;

  /// Different numbers of points: points that differ in their levels alone are at one place, and share what
  /// depends on the distance.
  Eigen::Index places() const { return by_place_.rows(); }

 private:
  struct Group;
  Group group_of(const Eigen::RowVectorXi& levels) const;

  const FeatureMatrix& points_;
  const Eigen::VectorXd& weights_;
  const Kernel& kernel_;
  std::vector<Eigen::Index> place_of_;  ///< of each point
  Eigen::MatrixXd by_place_;            ///< places by numbers, in lengths
};

}  // namespace neph::predict
