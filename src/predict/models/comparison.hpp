// What a kernel makes of one row and many others.
#pragma once

#include "predict/models/gaussian_process.hpp"

namespace neph::predict {

/// The numbers as distances need them: root of 5 times each over its length, so that s of a Matern kernel is
/// the root of the sum of squared differences.
Eigen::MatrixXd in_lengths(const Eigen::MatrixXd& numbers, const Kernel& kernel);

/// Of one row with each of many.
struct Compared {
  Eigen::ArrayXd matern, slope;  ///< M(s), d M(s) / d s^2
  Eigen::ArrayXd smooth;         ///< what M(s) is multiplied by
  Eigen::ArrayXd covariance;     ///< without noise
};

/// Rows and kernel must outlive it. Threads: any.
class Comparison {
 public:
  Comparison(const FeatureMatrix& rows, const Kernel& kernel);

  /// Row `row` of `at` with the rows from `first` on.
  Compared compare(const Comparison& at, Eigen::Index row, Eigen::Index first = 0) const;

  /// 1 for each row from `first` on that has the level of row `row` of `at`, else 0. One that is not known
  /// nobody has.
  Eigen::ArrayXd have_level(const Comparison& at, Eigen::Index category, Eigen::Index row,
                            Eigen::Index first = 0) const;
  const Eigen::MatrixXd& scaled() const { return scaled_; }  ///< in_lengths()

 private:
  const FeatureMatrix& rows_;
  const Kernel& kernel_;
  Eigen::MatrixXd scaled_, levels_;  ///< levels as numbers, of which several are compared at a time
};

}  // namespace neph::predict
