// What a process says of many rows: of each, the sum over the points it follows of covariance times weight.
#pragma once

#include "predict/process.hpp"

namespace neph::predict {

/// Sums of many rows. The same bits on every machine: each row's sum is made of the same operations in the
/// same order, however many rows the processor takes at once, and whatever rows it is asked with.
class KernelSum {
 public:
  /// `points` as the kernel sees them (scaled); all must outlive it.
  KernelSum(const Places& points, const Eigen::VectorXd& weights, const Kernel& kernel);

  /// Cost: rows times points, and levels times points where neighbouring rows differ in their levels.
  /// Threads: any. `most_lanes`: how many rows the processor may take with one instruction, where it can.
  Eigen::VectorXd at(const Places& scaled, int most_lanes = 8) const;

 private:
  struct Group;
  Group group_of(const Eigen::RowVectorXi& levels) const;
  struct Rows;
  void add(const Group& group, const Rows& rows, Eigen::VectorXd& sums) const;

  const Places& points_;
  const Eigen::VectorXd& weights_;
  const Kernel& kernel_;
  Eigen::MatrixXd by_point_;  ///< columns by points: numbers over their lengths
};

}  // namespace neph::predict
