#include "predict/explain/next_experiments.hpp"

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

/// Greedily the row whose measurement lets the variance of all together fall most; what is chosen is taken
/// for measured before the next one is.
std::vector<Choice> choose(MatrixXd covariance, double noise, std::size_t count) {
  const double at_first = covariance.trace();
  std::vector<Choice> chosen;
  while (chosen.size() < std::min(count, static_cast<std::size_t>(covariance.rows()))) {
    const VectorXd variances = covariance.diagonal().array().max(0) + noise * noise;
    VectorXd gains = covariance.colwise().squaredNorm().transpose().cwiseQuotient(variances);
    for (const auto& choice : chosen) gains[choice.row] = -1;
    Choice best;
    best.gain = gains.maxCoeff(&best.row) / at_first;
    const VectorXd column = covariance.col(best.row);
    covariance -= column * column.transpose() / variances[best.row];
    chosen.push_back(best);
  }
  return chosen;
}

Result<GaussianProcess> process_of(const Profile& profile, const Model& model) {
  const auto& target = profile.points.target;
  const VectorXd log_target = Eigen::Map<const VectorXd>(target.data(), std::ssize(target)).array().log();
  const auto& rows = model.points().matrix;
  return GaussianProcess::fit(rows, log_target - fit_log_linear(rows, log_target).log_mean(rows), {});
}

}  // namespace

Result<std::vector<Proposal>> next_experiments(const Profile& profile, const FitOptions& options,
                                               const NextExperimentSettings& settings) {
  const auto& points = profile.points.features;
  const auto combinations = candidate_grid(points, settings.most_candidates, settings.seed);
  if (combinations.rows == 0) return std::vector<Proposal>{};
  NEPH_TRY(const auto model, Model::fit(profile, options));
  NEPH_TRY(const auto predictions, model.predict(combinations, options.threads));
  std::vector<std::size_t> answered;
  for (std::size_t row = 0; row < predictions.size(); ++row)
    if (predictions[row].refused.empty()) answered.push_back(row);
  if (answered.empty()) return std::vector<Proposal>{};
  NEPH_TRY(const auto inputs, model.design().apply(combinations));
  NEPH_TRY(const auto process, process_of(profile, model));
  NEPH_TRY(auto covariance, process.covariance(rows_of(inputs.matrix, answered)));
  std::vector<Proposal> made;
  for (const auto& choice : choose(std::move(covariance), process.kernel.noise, settings.count)) {
    const auto row = answered[static_cast<std::size_t>(choice.row)];
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
