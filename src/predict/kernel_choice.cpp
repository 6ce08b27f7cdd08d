#include "predict/kernel_choice.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <numeric>

#include <nlopt.h>

#include "core/random.hpp"

namespace neph::predict {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t shared_parameters = 3;  // amplitude, slope, noise; then the lengths
constexpr std::size_t own_parameters = 3;     // offset, amplitude, slope
const double root5 = std::sqrt(5.0);

double deviation(const VectorXd& values) {
  if (values.size() < 2) return 0;
  const VectorXd centred = values.array() - values.mean();
  return std::sqrt(centred.squaredNorm() / static_cast<double>(values.size() - 1));
}

struct Search {
  const KernelPosterior& posterior;
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> at;
};

double follow(unsigned count, const double* logs, double* gradient, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::vector<double> here(logs, logs + count);
  std::vector<double> slope;
  const double value = search.posterior(here, gradient ? &slope : nullptr);
  if (gradient) std::copy(slope.begin(), slope.end(), gradient);
  if (value < search.best) {
    search.best = value;
    search.at = here;
  }
  return value;
}

}  // namespace

std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t most) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (count <= most) return rows;
  Random random(count);
  shuffle(rows, random);
  rows.resize(most);
  return rows;
}

KernelPosterior::KernelPosterior(const Places& places, const VectorXd& target, double least_noise)
    : target_(target), least_noise_(std::max(1e-6, least_noise)) {
  const auto rows = places.numbers.rows();
  for (Index j = 0; j < places.numbers.cols(); ++j) {
    const VectorXd column = places.numbers.col(j);
    squares_.push_back((column.replicate(1, rows) - column.transpose().replicate(rows, 1)).array().square());
  }
  products_ = places.numbers * places.numbers.transpose();
  for (Index c = 0; c < places.levels.cols(); ++c) {
    MatrixXd same(rows, rows);
    for (Index i = 0; i < rows; ++i)
      for (Index k = 0; k < rows; ++k)
        same(i, k) = places.levels(i, c) >= 0 && places.levels(i, c) == places.levels(k, c) ? 1 : 0;
    same_.push_back(std::move(same));
  }
  const double spread = std::log(std::max(deviation(target), 10 * least_noise_));
  priors_ = {{spread, 1}, {spread - 1, 1.5}, {std::max(spread - 3.5, std::log(2 * least_noise_)), 1.5}};
  for (std::size_t j = 0; j < squares_.size(); ++j) priors_.push_back({std::log(3.0), 1});
  for (std::size_t c = 0; c < same_.size(); ++c)
    for (const double below : {0.5, 1.0, 1.5}) priors_.push_back({spread - below, 1});
}

std::vector<double> KernelPosterior::start() const {
  std::vector<double> logs;
  for (const auto& prior : priors_) logs.push_back(prior.center);
  return logs;
}

Kernel KernelPosterior::kernel(const std::vector<double>& logs) const {
  const auto own_begin = shared_parameters + squares_.size();
  Kernel kernel{.amplitude = std::exp(logs[0]),
                .slope = std::exp(logs[1]),
                .noise = std::hypot(std::exp(logs[2]), least_noise_)};
  for (std::size_t j = shared_parameters; j < own_begin; ++j) kernel.lengths.push_back(std::exp(logs[j]));
  for (std::size_t c = own_begin; c < logs.size(); c += own_parameters)
    kernel.own.push_back({std::exp(logs[c]), std::exp(logs[c + 1]), std::exp(logs[c + 2])});
  return kernel;
}

double KernelPosterior::log_prior(const std::vector<double>& logs) const {
  double sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double distance = (logs[i] - priors_[i].center) / priors_[i].width;
    sum -= 0.5 * distance * distance;
  }
  return sum;
}

MatrixXd KernelPosterior::squared_distances(const Kernel& kernel) const {
  MatrixXd all = MatrixXd::Zero(target_.size(), target_.size());
  for (std::size_t j = 0; j < squares_.size(); ++j)
    all += squares_[j] / (kernel.lengths[j] * kernel.lengths[j]);
  return all;
}

double KernelPosterior::operator()(const std::vector<double>& logs, std::vector<double>* gradient) const {
  const auto at = kernel(logs);
  const auto squared = [](double value) { return value * value; };
  const ArrayXXd r2 = squared_distances(at).array(), s = root5 * r2.sqrt(), decay = (-s).exp();
  const ArrayXXd matern = (1 + s + 5.0 / 3 * r2) * decay;
  ArrayXXd smooth = ArrayXXd::Constant(r2.rows(), r2.cols(), squared(at.amplitude));
  ArrayXXd straight = ArrayXXd::Constant(r2.rows(), r2.cols(), squared(at.slope));
  ArrayXXd covariance = ArrayXXd::Zero(r2.rows(), r2.cols());
  for (std::size_t c = 0; c < same_.size(); ++c) {
    covariance += squared(at.own[c].offset) * same_[c].array();
    smooth += squared(at.own[c].amplitude) * same_[c].array();
    straight += squared(at.own[c].slope) * same_[c].array();
  }
  covariance += smooth * matern + straight * products_.array();
  MatrixXd noisy = covariance.matrix();
  noisy.diagonal().array() += squared(at.noise) + 1e-10 * noisy.diagonal().mean();
  const Eigen::LLT<MatrixXd> factor(noisy);
  if (gradient) gradient->assign(logs.size(), 0);
  if (factor.info() != Eigen::Success) return 1e100;

  const VectorXd alpha = factor.solve(target_);
  double value = 0.5 * target_.dot(alpha) + factor.matrixLLT().diagonal().array().log().sum() +
                 0.5 * static_cast<double>(target_.size()) * std::log(2 * std::numbers::pi);
  value -= log_prior(logs);
  if (!gradient) return value;

  const MatrixXd inverse = factor.solve(MatrixXd::Identity(noisy.rows(), noisy.cols()));
  const ArrayXXd pull = (inverse - alpha * alpha.transpose()).array();  // d value / d K, times 2
  auto& slope = *gradient;
  slope[0] = squared(at.amplitude) * (pull * matern).sum();
  slope[1] = squared(at.slope) * (pull * products_.array()).sum();
  slope[2] = std::exp(2 * logs[2]) * pull.matrix().trace();
  const ArrayXXd by_r2 = pull * smooth * (-5.0 / 6) * (1 + s) * decay;
  for (std::size_t j = 0; j < squares_.size(); ++j)
    slope[shared_parameters + j] = -(by_r2 * squares_[j].array()).sum() / squared(at.lengths[j]);
  for (std::size_t c = 0; c < same_.size(); ++c) {
    const ArrayXXd here = pull * same_[c].array();
    const auto first = shared_parameters + squares_.size() + own_parameters * c;
    slope[first] = squared(at.own[c].offset) * here.sum();
    slope[first + 1] = squared(at.own[c].amplitude) * (here * matern).sum();
    slope[first + 2] = squared(at.own[c].slope) * (here * products_.array()).sum();
  }
  for (std::size_t i = 0; i < logs.size(); ++i)
    slope[i] += (logs[i] - priors_[i].center) / squared(priors_[i].width);
  return value;
}

Kernel choose_kernel(const Places& places, const VectorXd& target, const ProcessSettings& settings) {
  const auto rows = drawn_rows(static_cast<std::size_t>(target.size()), settings.most_rows_for_kernel);
  const KernelPosterior posterior(rows_of(places, rows), rows_of(target, rows), settings.least_noise);

  auto logs = posterior.start();
  Search search{posterior, std::numeric_limits<double>::infinity(), logs};
  const auto optimiser = nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(logs.size()));
  nlopt_set_min_objective(optimiser, follow, &search);
  nlopt_set_lower_bounds1(optimiser, -14);
  nlopt_set_upper_bounds1(optimiser, 8);
  nlopt_set_ftol_abs(optimiser, 0.01);
  nlopt_set_maxeval(optimiser, settings.most_steps);
  double value = 0;
  nlopt_optimize(optimiser, logs.data(), &value);  // an error leaves the best that was seen
  nlopt_destroy(optimiser);
  return posterior.kernel(search.at);
}

}  // namespace neph::predict
