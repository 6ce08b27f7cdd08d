// What a process says of many rows: of each, the sum over the points it follows of covariance times weight.
#pragma once

#include <unordered_map>
#include <vector>

#include "predict/process.hpp"

namespace neph::predict {

/// In an order in which their sums take the least time: rows with the same numbers together where many share
/// them, as different machines with the same work do, else those with the same levels.
void sort_by_places(std::vector<std::size_t>& rows, const Places& places);

/// Sums of many rows. The same bits on every machine: each row's sum is made of the same operations in the
/// same order, however many rows the processor takes at once, and whatever rows are asked with it.
class KernelSum {
 public:
  /// `points` as the kernel sees them (scaled); all must outlive it. Cost: a pass over the points.
  KernelSum(const Places& points, const Eigen::VectorXd& weights, const Kernel& kernel);

  /// Cost: different numbers among rows that stand together (sort_by_places) times places, and points times
  /// combinations of levels among the rows. Threads: any. `by_widest`: by the widest instructions that the
  /// processor has, else by those of all processors.
  Eigen::VectorXd at(const Places& scaled, bool by_widest = true) const;

  /// Different numbers of points: points that differ in their levels alone are at one place, and share what
  /// depends on the distance.
  Eigen::Index places() const { return by_place_.cols(); }

 private:
  struct Group;
  class Groups;
  class Tile;
  Group group_of(const Eigen::RowVectorXi& levels) const;

  const Places& points_;
  const Eigen::VectorXd& weights_;
  const Kernel& kernel_;
  Eigen::MatrixXd by_point_;  ///< columns by points: numbers
  std::vector<std::unordered_map<int, std::vector<Eigen::Index>>> with_level_;  ///< points, of each category
  std::vector<Eigen::Index> place_of_;                                          ///< of each point
  Eigen::VectorXd scale_;     ///< of each number: root of 5 over its length
  Eigen::MatrixXd by_place_;  ///< columns by places: scaled numbers
};

}  // namespace neph::predict
