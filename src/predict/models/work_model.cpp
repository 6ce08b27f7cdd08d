#include "predict/models/work_model.hpp"

#include <cmath>

#include "predict/models/level_factors.hpp"
#include "predict/models/linear.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;
using Eigen::VectorXd;

constexpr int rounds_of_factors = 4;
/// So many rows say as much of how fast a machine is beside another as their data sheets do.
constexpr double rows_of_data_sheets = 0.5;

/// Each row of `terms` over the time that the rest of the model leaves to them.
MatrixXd relative(const MatrixXd& terms, const VectorXd& log_time) {
  return terms.array().colwise() * (-log_time.array()).exp();
}

VectorXd log_sum(const MatrixXd& terms, const VectorXd& coefficients) {
  return (terms * coefficients).cwiseMax(1e-300).array().log();
}

/// Least squares of `own_terms` x = 1, x >= 0, drawn towards `expected` as strongly as `pooling` rows would
/// draw of which each term makes up what it does of `typical` ones: terms that the own rows hardly have stay
/// where they are.
VectorXd drawn_towards(const MatrixXd& own_terms, const VectorXd& expected, const VectorXd& typical,
                       double pooling) {
  const Index terms = own_terms.cols(), rows = own_terms.rows();
  const VectorXd weight = std::sqrt(pooling) * typical;
  MatrixXd stacked(rows + terms, terms);
  stacked << own_terms, MatrixXd(weight.asDiagonal());
  VectorXd right(stacked.rows());
  right << VectorXd::Ones(rows), weight.cwiseProduct(expected);
  return non_negative(stacked, right);
}

/// What the others' coefficients `own` make for `level`, of which the relative terms are given; of its own:
/// 0.
MatrixXd brought_to(Index level, const MatrixXd& terms, const MatrixXd& own, bool are_at_speed) {
  MatrixXd brought = MatrixXd::Zero(own.rows(), own.cols());
  const double rows = static_cast<double>(terms.rows()) + (are_at_speed ? rows_of_data_sheets : 0);
  for (Index other = 0; other < own.rows(); ++other)
    if (other != level)
      brought.row(other) =
          std::exp(-log_sum(terms, own.row(other).transpose()).sum() / rows) * own.row(other);
  return brought;
}

/// Each level's own coefficients, first drawn towards what all have in common, then towards the mixture of
/// the other levels that fits its rows best: a new machine is more like some than like the mean of all.
MatrixXd own_coefficients(const MatrixXd& terms_of_all, const Eigen::VectorXi& levels,
                          const VectorXd& log_rest, const VectorXd& factors, const MatrixXd& common,
                          const WorkSettings& settings) {
  const Index count = common.rows();
  const VectorXd usual = relative(terms_of_all, log_rest).colwise().mean();
  std::vector<MatrixXd> own_terms;
  const auto drawn = [&](Index level, const VectorXd& expected) -> Eigen::RowVectorXd {
    const auto& terms = own_terms[static_cast<std::size_t>(level)];
    if (terms.rows() == 0) return expected;
    return drawn_towards(terms, expected, std::exp(-factors[level]) * usual, settings.pooling);
  };
  MatrixXd own(count, common.cols());
  for (Index level = 0; level < count; ++level) {
    std::vector<Index> rows;
    for (Index i = 0; i < levels.size(); ++i)
      if (levels[i] == level) rows.push_back(i);
    own_terms.push_back(relative(terms_of_all(rows, Eigen::all), log_rest(rows).array() + factors[level]));
    own.row(level) = drawn(level, common.row(level));
  }
  MatrixXd mixed = own;
  for (Index level = 0; level < count && count > 1; ++level) {
    const auto& terms = own_terms[static_cast<std::size_t>(level)];
    if (terms.rows() == 0) continue;
    const auto brought = brought_to(level, terms, own, settings.are_at_speed);
    VectorXd equal = VectorXd::Constant(count, 1 / static_cast<double>(count - 1));
    equal[level] = 0;
    const VectorXd shares =
        drawn_towards(terms * brought.transpose(), equal, VectorXd::Ones(count), settings.mixing);
    mixed.row(level) = drawn(level, brought.transpose() * shares);
  }
  return mixed;
}

}  // namespace

VectorXd WorkModel::log_mean(const MatrixXd& terms, const MatrixXi& levels) const {
  VectorXd logs = log_sum(terms, coefficients);
  for (Index i = 0; own_category && i < logs.size(); ++i)
    if (const int level = levels(i, *own_category); level >= 0 && level < own.rows())
      if (own.row(level).maxCoeff() > 0) logs[i] = log_sum(terms.row(i), own.row(level).transpose())[0];
  return logs;
}

Result<WorkModel> fit_work(const MatrixXd& terms, const MatrixXi& levels, const VectorXd& log_target,
                           const WorkSettings& settings) {
  if (terms.cols() == 0 || !relative(terms, log_target).allFinite())
    return fail(ErrorCode::invalid_argument, "terms and times of these sizes cannot be compared");
  WorkModel model{.own_category = settings.own_category};
  const auto common_of = [&](const VectorXd& rest) {
    return non_negative(relative(terms, rest), VectorXd::Ones(terms.rows()));
  };
  model.coefficients = common_of(log_target);
  if (!settings.own_category) return model;
  const Eigen::VectorXi machines = levels.col(*settings.own_category);
  VectorXd factors, rest = log_target;  // less the factors
  for (int round = 0; round < rounds_of_factors; ++round) {
    if (round > 0) model.coefficients = common_of(rest);
    const VectorXd without_factors = log_sum(terms, model.coefficients);
    const double shift = common_residual(rest - without_factors);
    factors = level_means((log_target - without_factors).array() - shift, machines);
    rest = log_target - level_factors({factors}, machines);
  }
  // Of what all have in common, with each level's factor.
  model.own = own_coefficients(terms, machines, rest, factors,
                               factors.array().exp().matrix() * model.coefficients.transpose(), settings);
  return model;
}

}  // namespace neph::predict
