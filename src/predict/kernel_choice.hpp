// Which kernel the rows speak for.
#pragma once

#include "predict/comparison.hpp"

namespace neph::predict {

/// All rows, or a draw of `most`: one of each of so many runs of neighbours, so that of rows that are sorted
/// some of all kinds are drawn. The same for the same number of rows. `staying`: rows, sorted, that any draw
/// has.
std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t most,
                                    const std::vector<std::size_t>& staying = {});

/// The most probable kernel: log marginal likelihood plus log-normal priors (process.hpp), on at most
/// `settings.most_rows_for_kernel` rows spread over all.
Kernel choose_kernel(const Places& places, const Eigen::VectorXd& target, const ProcessSettings& settings);

/// What L-BFGS follows: minus the log of the posterior, and its gradient, at the logarithms of the kernel's
/// parameters (amplitude, slope, noise, lengths, and offset, amplitude, slope of each category column).
class KernelPosterior {
 public:
  KernelPosterior(const Places& places, const Eigen::VectorXd& target, double least_noise);

  std::vector<double> start() const;
  std::vector<double> logs_of(const Kernel& kernel) const;  ///< the inverse of kernel()
  double operator()(const std::vector<double>& logs, std::vector<double>* gradient) const;
  Kernel kernel(const std::vector<double>& logs) const;
  double log_prior(const std::vector<double>& logs) const;  ///< but for a constant

 private:
  struct Prior {
    double center, width;
  };
  void fill(const Kernel& kernel) const;
  void add_slopes(const Kernel& at, const Eigen::VectorXd& alpha, Eigen::Index row,
                  std::vector<double>& slope) const;

  ComparedRows rows_;
  Eigen::VectorXd target_;
  double least_noise_;
  Eigen::MatrixXd products_;   ///< x.x'
  std::vector<Prior> priors_;  ///< of the logarithms
  /// Of the evaluation under way, lower triangles: M(r), d(smooth part) / d r^2, and the covariance, later
  /// its factor, later its inverse. One thread at a time.
  mutable Eigen::MatrixXd matern_, decline_, covariance_;
};

}  // namespace neph::predict
