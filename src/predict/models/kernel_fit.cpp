#include "predict/models/kernel_fit.hpp"

#include <cmath>
#include <numbers>

#include <nlopt.h>

#include "predict/models/positive_definite.hpp"

namespace neph::predict {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index shared_parameters = 3;           // amplitude, slope, noise; then the lengths
constexpr Index own_parameters = 3;              // length, offset, slope
constexpr double least_log = -14, most_log = 8;  ///< of a parameter
/// Of the log posterior, for another step. From a guess, which is of much the same rows, predictions are as
/// good with either.
constexpr double least_gain = 0.01, least_gain_from_guess = 0.1;

double deviation(const VectorXd& values) {
  const auto freedom = static_cast<double>(std::max<Index>(1, values.size() - 1));
  return (values.array() - values.mean()).matrix().norm() / std::sqrt(freedom);
}

struct Search {
  const KernelPosterior& posterior;
  VectorXd at;
  double best = std::numeric_limits<double>::infinity();
};

double follow(unsigned count, const double* logs, double* gradient, void* data) {
  auto& search = *static_cast<Search*>(data);
  const VectorXd here = Eigen::Map<const VectorXd>(logs, count);
  VectorXd slope;
  const double value = search.posterior(here, gradient ? &slope : nullptr);
  if (gradient) std::copy(slope.begin(), slope.end(), gradient);
  if (value < search.best) {
    search.best = value;
    search.at = here;
  }
  return value;
}

}  // namespace

KernelPosterior::KernelPosterior(const FeatureMatrix& places, const VectorXd& target, double least_noise)
    : rows_(places), target_(target), least_noise_(std::max(1e-6, least_noise)) {
  products_ = rows_.numbers * rows_.numbers.transpose();
  const double spread = std::log(std::max(deviation(target), 10 * least_noise_));
  const Index own_begin = shared_parameters + rows_.numbers.cols();
  centers_ = VectorXd::Constant(own_begin + own_parameters * rows_.levels.cols(), std::log(3.0));
  widths_ = VectorXd::Ones(centers_.size());
  centers_.head<3>() << spread, spread - 1, std::max(spread - 3.5, std::log(2 * least_noise_));
  widths_.segment<2>(1).setConstant(1.5);
  for (Index c = own_begin; c < centers_.size(); c += own_parameters)
    centers_.segment<2>(c + 1) << spread - 0.5, spread - 1.5;
}

Kernel KernelPosterior::kernel(const VectorXd& logs) const {
  const VectorXd values = logs.array().exp();
  const Index own_begin = shared_parameters + rows_.numbers.cols();
  Kernel kernel{.amplitude = values[0],
                .slope = values[1],
                .noise = std::hypot(values[2], least_noise_),
                .lengths = {values.begin() + shared_parameters, values.begin() + own_begin}};
  for (Index c = own_begin; c < logs.size(); c += own_parameters)
    kernel.own.push_back({values[c], values[c + 1], values[c + 2]});
  return kernel;
}

VectorXd KernelPosterior::logs_of(const Kernel& kernel) const {
  const double own_noise =
      std::sqrt(std::max(0.01 * squared(least_noise_), squared(kernel.noise) - squared(least_noise_)));
  std::vector<double> values{kernel.amplitude, kernel.slope, own_noise};
  values.insert(values.end(), kernel.lengths.begin(), kernel.lengths.end());
  for (const auto& own : kernel.own) values.insert(values.end(), {own.length, own.offset, own.slope});
  const Eigen::Map<const Eigen::ArrayXd> all(values.data(), std::ssize(values));
  return all.log().max(least_log).min(most_log);
}

double KernelPosterior::log_prior(const VectorXd& logs) const {
  return -0.5 * (logs - centers_).cwiseQuotient(widths_).squaredNorm();
}

/// Column by column of the lower triangle, which stays in the processor's nearest memory.
void KernelPosterior::fill(const Comparison& rows, const Kernel& kernel) const {
  const auto count = target_.size();
  for (auto* matrix : {&smooth_, &decline_, &covariance_}) matrix->resize(count, count);
  for (Index row = 0; row < count; ++row) {
    const auto compared = rows.compare(rows, row, row);
    smooth_.col(row).tail(count - row) = compared.smooth * compared.matern;
    decline_.col(row).tail(count - row) = compared.smooth * compared.slope;
    covariance_.col(row).tail(count - row) = compared.covariance;
  }
  covariance_.diagonal().array() += squared(kernel.noise) + 1e-10 * covariance_.diagonal().mean();
}

double KernelPosterior::operator()(const VectorXd& logs, VectorXd* gradient) const {
  const auto at = kernel(logs);
  const Comparison rows(rows_, at);
  fill(rows, at);
  if (gradient) *gradient = VectorXd::Zero(logs.size());
  if (!factorise(covariance_)) return 1e100;
  const VectorXd alpha = solve(covariance_, target_);
  const double value = 0.5 * target_.dot(alpha) + covariance_.diagonal().array().log().sum() +
                       0.5 * static_cast<double>(target_.size()) * std::log(2 * std::numbers::pi) -
                       log_prior(logs);
  if (!gradient) return value;

  invert(covariance_);
  auto& slope = *gradient;
  for (Index row = 0; row < target_.size(); ++row) add_slopes(rows, at, alpha, row, slope);
  slope[2] *= std::exp(2 * logs[2]);
  slope += (logs - centers_).cwiseQuotient(widths_.cwiseAbs2());
  return value;
}

/// What the entries of one column of the lower triangle add, those beside the diagonal twice. Of the noise:
/// but for its square.
void KernelPosterior::add_slopes(const Comparison& rows, const Kernel& at, const VectorXd& alpha, Index row,
                                 VectorXd& slope) const {
  const auto below = target_.size() - row;
  ArrayXd pull =  // d value / d K, times 2
      covariance_.col(row).tail(below).array() - alpha.tail(below).array() * alpha[row];
  slope[2] += pull[0];
  pull.tail(below - 1) *= 2;
  const ArrayXd smooth = pull * smooth_.col(row).tail(below).array();
  const auto product = products_.col(row).tail(below).array();
  slope[0] += smooth.sum();
  slope[1] += squared(at.slope) * (pull * product).sum();
  const ArrayXd by_s2 = pull * decline_.col(row).tail(below).array();
  auto place = shared_parameters;
  for (Index j = 0; j < rows_.numbers.cols(); ++j, ++place) {
    const auto column = rows.scaled().col(j).tail(below).array();
    slope[place] -= (by_s2 * (column - column[0]).square()).sum();
  }
  const ArrayXd products = pull * product;
  for (Index c = 0; c < rows_.levels.cols(); ++c, place += own_parameters) {
    const auto& own = at.own[static_cast<std::size_t>(c)];
    const auto same = rows.have_level(rows, c, row, row);
    slope[place] += ((1 - same) * smooth).sum() / squared(own.length);
    slope[place + 1] += squared(own.offset) * (same * pull).sum();
    slope[place + 2] += squared(own.slope) * (same * products).sum();
  }
}

Kernel fit_kernel(const FeatureMatrix& places, const VectorXd& target,
                  const GaussianProcessSettings& settings) {
  const auto rows = drawn_rows(static_cast<std::size_t>(target.size()), settings.most_rows_for_kernel);
  const KernelPosterior posterior(rows_of(places, rows), rows_of(target, rows), settings.least_noise);

  auto logs = settings.first_guess ? posterior.logs_of(*settings.first_guess) : posterior.start();
  Search search{posterior, logs};
  const auto optimiser = nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(logs.size()));
  nlopt_set_min_objective(optimiser, follow, &search);
  nlopt_set_lower_bounds1(optimiser, least_log);
  nlopt_set_upper_bounds1(optimiser, most_log);
  nlopt_set_ftol_abs(optimiser, settings.first_guess ? least_gain_from_guess : least_gain);
  nlopt_set_maxeval(optimiser, settings.most_steps);
  double value = 0;
  nlopt_optimize(optimiser, logs.data(), &value);  // an error leaves the best that was seen
  nlopt_destroy(optimiser);
  return posterior.kernel(search.at);
}

}  // namespace neph::predict
