// What a kernel compares: one row with many, in loops of which the processor takes several rows at a time.
#pragma once

#include "predict/models/gaussian_process.hpp"

namespace neph::predict {

/// FeatureMatrix with levels as numbers: one that is not known is NaN, which is not even the same as itself.
struct ComparedRows {
  explicit ComparedRows(const FeatureMatrix& places);
  Eigen::Index count() const { return numbers.rows(); }
  Eigen::MatrixXd numbers, levels;
};

/// `values` where the level of `category` is `level`, 0 elsewhere; of the last rows, as many as there are
/// values.
void keep_same(const ComparedRows& rows, Eigen::Index category, double level,
               Eigen::Ref<const Eigen::ArrayXd> values, Eigen::Ref<Eigen::ArrayXd> kept);

/// Rows and kernel must outlive it. One thread at a time.
class Comparison {
 public:
  Comparison(const ComparedRows& rows, const Kernel& kernel);

  /// Row `row` of `at` with the rows from `first` on.
  void compare(const ComparedRows& at, Eigen::Index row, Eigen::Index first = 0);

  auto matern() const { return matern_.head(count_); }          ///< M(r)
  auto smooth() const { return smooth_.head(count_); }          ///< what M(r) is multiplied by
  auto slope() const { return slope_.head(count_); }            ///< d M(r) / d r^2
  auto covariance() const { return covariance_.head(count_); }  ///< without noise

 private:
  void measure(const ComparedRows& at, Eigen::Index row);
  void add_levels(const ComparedRows& at, Eigen::Index row);

  const ComparedRows& rows_;
  const Kernel& kernel_;
  Eigen::Index first_ = 0, count_ = 0;
  Eigen::ArrayXd squares_, products_;  ///< r^2, x . x'
  Eigen::ArrayXd smooth_, straight_;   ///< what M(r) and x . x' are multiplied by
  Eigen::ArrayXd distances_, decays_;  ///< s = root of 5 times r, exp(-s)
  Eigen::ArrayXd matern_, slope_, covariance_;
};

}  // namespace neph::predict
