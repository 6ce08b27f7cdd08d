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

  std::vector<double> start() const;
  std::vector<double> logs_of(const Kernel& kernel) const;  ///< the inverse of kernel()
  double operator()(const std::vector<double>& logs, std::vector<double>* gradient) const;
  Kernel kernel(const std::vector<double>& logs) const;
  double log_prior(const std::vector<double>& logs) const;  ///< but for a constant

 private:
  struct Prior {
    double center, width;
  };
  void fill(const Comparison& rows, const Kernel& kernel) const;
  void add_slopes(const Comparison& rows, const Kernel& at, const Eigen::VectorXd& alpha, Eigen::Index row,
                  std::vector<double>& slope) const;

  FeatureMatrix rows_;
  Eigen::VectorXd target_;
  double least_noise_;
  Eigen::MatrixXd products_;   ///< x.x'
  std::vector<Prior> priors_;  ///< of the logarithms
  /// Of the evaluation under way, lower triangles: the smooth part, its d / d s^2, and the covariance, later
  /// its factor, later its inverse. One thread at a time.
  mutable Eigen::MatrixXd smooth_, decline_, covariance_;
};

}  // namespace neph::predict
