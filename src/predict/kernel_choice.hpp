// Which kernel the rows speak for.
#pragma once

#include "predict/process.hpp"

namespace neph::predict {

/// All rows, or a draw of `most` of them that is the same for the same number of rows.
std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t most);

/// The most probable kernel: log marginal likelihood plus log-normal priors (process.hpp), on at most
/// `settings.most_rows_for_kernel` rows spread over all.
Kernel choose_kernel(const Places& places, const Eigen::VectorXd& target, const ProcessSettings& settings);

/// What L-BFGS follows: minus the log of the posterior, and its gradient, at the logarithms of the kernel's
/// parameters (amplitude, slope, noise, lengths, and offset, amplitude, slope of each category column).
class KernelPosterior {
 public:
  KernelPosterior(const Places& places, const Eigen::VectorXd& target, double least_noise);

  std::vector<double> start() const;
  double operator()(const std::vector<double>& logs, std::vector<double>* gradient) const;
  Kernel kernel(const std::vector<double>& logs) const;
  double log_prior(const std::vector<double>& logs) const;  ///< but for a constant

 private:
  struct Prior {
    double center, width;
  };
  Eigen::MatrixXd squared_distances(const Kernel& kernel) const;

  Eigen::VectorXd target_;
  double least_noise_;
  std::vector<Eigen::MatrixXd> squares_;  ///< of differences, one per column of numbers
  Eigen::MatrixXd products_;              ///< x.x'
  std::vector<Eigen::MatrixXd> same_;     ///< 1 where the levels are the same, one per category column
  std::vector<Prior> priors_;             ///< of the logarithms
};

}  // namespace neph::predict
