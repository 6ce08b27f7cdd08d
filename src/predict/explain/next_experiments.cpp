#include "predict/explain/next_experiments.hpp"

#include <cmath>

#include "predict/models/log_linear.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Choice {
  Index row = 0;
  double gain = 0;  ///< share of the variance at first that it takes away
};

/// How much the variance of all rows together falls when each of them is measured.
VectorXd reductions(const MatrixXd& covariance, double noise) {
  return covariance.colwise().squaredNorm().transpose().array() /
         (covariance.diagonal().array().max(0) + noise * noise);
}

/// Greedily: what is chosen is taken for measured before the next one is.
std::vector<Choice> choose(MatrixXd covariance, double noise, std::size_t count) {
  const double at_first = covariance.trace();
  std::vector<Choice> chosen;
  while (chosen.size() < std::min(count, static_cast<std::size_t>(covariance.rows()))) {
    auto gains = reductions(covariance, noise);
    for (const auto& choice : chosen) gains[choice.row] = -1;
    Choice best;
    const double most = gains.maxCoeff(&best.row);
    best.gain = most / at_first;
    const VectorXd column = covariance.col(best.row);
    covariance -= column * column.transpose() / (std::max(0.0, column[best.row]) + noise * noise);
    chosen.push_back(best);
  }
  return chosen;
}

/// Those that can be computed: whose network can be built with pictures of their side, whose terms have
/// values.
Result<table::Table> buildable(const table::Table& combinations, const table::Table& points,
                               const Roles& roles) {
  if (roles.network.empty() && roles.terms.empty()) return combinations;
  NEPH_TRY(const auto design, Design::learn(points, roles));
  NEPH_TRY(const auto inputs, design.apply(combinations));
  std::vector<std::size_t> built;
  for (std::size_t row = 0; row < combinations.rows; ++row)
    if (!inputs.refused.contains(row)) built.push_back(row);
  return rows_of(combinations, built);
}

Result<GaussianProcess> process_of(const Profile& profile, const Model& model, const FitOptions& options) {
  VectorXd log_target(std::ssize(profile.points.target));
  for (Index i = 0; i < log_target.size(); ++i)
    log_target[i] = std::log(profile.points.target[static_cast<std::size_t>(i)]);
  const auto& rows = model.points().matrix;
  return GaussianProcess::fit(
      rows, log_target - fit_log_linear(rows, log_target).log_mean(rows),
      {.most_rows_for_kernel = options.kernel_rows, .most_rows = options.process_rows});
}

}  // namespace

Result<std::vector<Proposal>> next_experiments(const Profile& profile, const FitOptions& options,
                                               const NextExperimentSettings& settings) {
  const auto& points = profile.points.features;
  NEPH_TRY(const auto combinations,
           buildable(candidate_grid(points, settings.most_candidates, settings.seed), points, options.roles));
  if (combinations.rows == 0) return std::vector<Proposal>{};
  NEPH_TRY(const auto model, Model::fit(profile, options));
  NEPH_TRY(const auto predictions, model.predict(combinations, options.threads));
  NEPH_TRY(const auto inputs, model.design().apply(combinations));
  NEPH_TRY(const auto process, process_of(profile, model, options));
  NEPH_TRY(auto covariance, process.covariance(inputs.matrix));
  std::vector<Proposal> made;
  for (const auto& choice : choose(std::move(covariance), process.kernel().noise, settings.count)) {
    const auto row = static_cast<std::size_t>(choice.row);
    Proposal proposal{.cells = {},
                      .value = predictions[row].value,
                      .low = predictions[row].low,
                      .high = predictions[row].high,
                      .gain = choice.gain};
    for (const auto& column : rows_of(combinations, {row}).columns)
      proposal.cells.push_back(cells_of(column).front());
    made.push_back(std::move(proposal));
  }
  return made;
}

}  // namespace neph::predict
