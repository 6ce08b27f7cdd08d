// Which kernel the rows speak for.
#pragma once

#include "predict/models/comparison.hpp"

namespace neph::predict {

/// The most probable kernel: log marginal likelihood plus log-normal priors (gaussian_process.hpp), on at
/// most `settings.most_rows_for_kernel` rows spread over all.
Kernel fit_kernel(const FeatureMatrix& places, const Eigen::VectorXd& target,
                  const GaussianProcessSettings& settings);

/// What L-BFGS follows: minus the log of the posterior, and its gradient, at the logarithms of the kernel's
/// parameters (amplitude, slope, noise, lengths, and length, offset, slope of each category column).
class KernelPosterior {
 public:
  KernelPosterior(const FeatureMatrix& places, const Eigen::VectorXd& target, double least_noise);

  const Eigen::VectorXd& start() const { return centers_; }
  Eigen::VectorXd logs_of(const Kernel& kernel) const;  ///< the inverse of kernel()
  double operator()(const Eigen::VectorXd& logs, Eigen::VectorXd* gradient) const;
  Kernel kernel(const Eigen::VectorXd& logs) const;
  double log_prior(const Eigen::VectorXd& logs) const;  ///< but for a constant

 private:
  void fill(const Comparison& rows, const Kernel& kernel) const;
  void add_slopes(const Comparison& rows, const Kernel& at, const Eigen::VectorXd& alpha, Eigen::Index row,
                  Eigen::VectorXd& slope) const;

  FeatureMatrix rows_;
  Eigen::VectorXd target_;
  double least_noise_;
  Eigen::MatrixXd products_;          ///< x.x'
  Eigen::VectorXd centers_, widths_;  ///< of the logarithms' priors
  /// Of the evaluation under way, lower triangles: the smooth part, its d / d s^2, and the covariance, later
  /// its factor, later its inverse. One thread at a time.
  mutable Eigen::MatrixXd smooth_, decline_, covariance_;
};

}  // namespace neph::predict
