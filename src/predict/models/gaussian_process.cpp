#include "predict/models/gaussian_process.hpp"

#include "predict/models/comparison.hpp"
#include "predict/models/kernel_fit.hpp"
#include "predict/models/kernel_predict.hpp"
#include "predict/models/positive_definite.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of the target at each row (down) and at each row of `at` (across), without noise.
MatrixXd covariances(const FeatureMatrix& rows, const FeatureMatrix& at, const Kernel& kernel) {
  MatrixXd all(rows.rows(), at.rows());
  const Comparison down(rows, kernel), across(at, kernel);
  for (Index i = 0; i < all.cols(); ++i) all.col(i) = down.compare(across, i).covariance;
  return all;
}

/// Cholesky's factor of what is measured at the rows, with as much noise as it takes: the kernel's is raised.
Result<MatrixXd> factor_of(const FeatureMatrix& rows, Kernel& kernel) {
  const auto covariance = covariances(rows, rows, kernel);
  for (int attempt = 0; attempt < 12; ++attempt, kernel.noise *= std::sqrt(10)) {
    MatrixXd noisy = covariance;
    noisy.diagonal().array() += kernel.noise * kernel.noise;
    if (factorise(noisy)) return noisy;
  }
  return fail(ErrorCode::internal, "the covariance of {} rows cannot be inverted", covariance.rows());
}

}  // namespace

Result<GaussianProcess> GaussianProcess::fit(const FeatureMatrix& places, const VectorXd& target,
                                             const GaussianProcessSettings& settings) {
  if (target.size() == 0 || target.size() != places.numbers.rows())
    return fail(ErrorCode::invalid_argument, "a process needs rows, each with a target");
  if (!target.allFinite() || !places.numbers.allFinite())
    return fail(ErrorCode::invalid_argument, "a process needs finite numbers");
  if (const auto rows = drawn_rows(static_cast<std::size_t>(target.size()), settings.most_rows);
      rows.size() < static_cast<std::size_t>(target.size()))
    return fit(rows_of(places, rows), rows_of(target, rows), settings);
  auto scaling = Scaling::of(places.numbers);
  auto scaled = scaling.apply(places);
  auto kernel = fit_kernel(scaled, target, settings);
  return with_kernel(std::move(scaling), std::move(scaled), target, std::move(kernel));
}

Result<GaussianProcess> GaussianProcess::with_kernel(Scaling scaling, FeatureMatrix scaled,
                                                     const VectorXd& target, Kernel kernel) {
  const double noise = kernel.noise;
  NEPH_TRY(const auto factor, factor_of(scaled, kernel));
  auto weights = solve(factor, target);
  const double raised = kernel.noise / noise;
  return GaussianProcess{std::move(scaling), std::move(scaled), std::move(weights), std::move(kernel),
                         raised};
}

Result<MatrixXd> GaussianProcess::covariance(const FeatureMatrix& at) const {
  const auto asked = scaling.apply(at);
  auto raised = kernel;
  NEPH_TRY(const auto factor, factor_of(rows, raised));
  const MatrixXd known = factor.triangularView<Eigen::Lower>().solve(covariances(rows, asked, kernel));
  return MatrixXd(covariances(asked, asked, kernel) - known.transpose() * known);
}

VectorXd GaussianProcess::mean(const FeatureMatrix& at) const {
  return kernel_sums(rows, weights, kernel, scaling.apply(at));
}

}  // namespace neph::predict
