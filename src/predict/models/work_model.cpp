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
  VectorXd logs = terms * coefficients;
  for (auto& value : logs) value = std::log(std::max(value, 1e-300));
  return logs;
}

bool is_known(const MatrixXd& speeds, Index level) {
  return level < speeds.rows() && speeds.row(level).minCoeff() > 0;
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

/// Each level's own coefficients, first drawn towards what all have in common, then towards the mixture of
/// the other levels that fits its rows best: a new machine is more like some than like the mean of all.
MatrixXd own_coefficients(const MatrixXd& terms_of_all, const Eigen::VectorXi& levels,
                          const VectorXd& log_rest, const VectorXd& factors, const MatrixXd& common,
                          const WorkSettings& settings) {
  std::vector<MatrixXd> own_terms;
  std::vector<VectorXd> typical;
  MatrixXd own = common;
  const VectorXd usual = relative(terms_of_all, log_rest).colwise().mean();
  for (int level = 0; level < common.rows(); ++level) {
    std::vector<Index> rows;
    for (Index i = 0; i < levels.size(); ++i)
      if (levels[i] == level) rows.push_back(i);
    MatrixXd part(static_cast<Index>(rows.size()), terms_of_all.cols());
    VectorXd time(part.rows());
    for (Index i = 0; i < part.rows(); ++i) {
      part.row(i) = terms_of_all.row(rows[static_cast<std::size_t>(i)]);
      time[i] = log_rest[rows[static_cast<std::size_t>(i)]] + factors[level];
    }
    own_terms.push_back(relative(part, time));
    typical.emplace_back(std::exp(-factors[level]) * usual);
    if (part.rows() > 0)
      own.row(level) =
          drawn_towards(own_terms.back(), common.row(level).transpose(), typical.back(), settings.pooling);
  }
  if (common.rows() < 2) return own;
  MatrixXd mixed = own;
  for (int level = 0; level < common.rows(); ++level) {
    const auto& terms = own_terms[static_cast<std::size_t>(level)];
    if (terms.rows() == 0) continue;
    MatrixXd brought = MatrixXd::Zero(common.rows(), common.cols());  // the others, each at this one's speed
    for (int other = 0; other < common.rows(); ++other) {
      if (other == level) continue;
      Eigen::RowVectorXd here = own.row(other);
      const bool are_known = is_known(settings.speeds, level) && is_known(settings.speeds, other);
      if (are_known) here.array() *= settings.speeds.row(other).array() / settings.speeds.row(level).array();
      const auto rows = static_cast<double>(terms.rows());
      const double log_times = (terms * here.transpose()).array().max(1e-300).log().sum();
      brought.row(other) = std::exp(-log_times / (rows + (are_known ? rows_of_data_sheets : 0))) * here;
    }
    VectorXd equal = VectorXd::Constant(common.rows(), 1.0 / static_cast<double>(common.rows() - 1));
    equal[level] = 0;
    const VectorXd shares =
        drawn_towards(terms * brought.transpose(), equal, VectorXd::Ones(common.rows()), settings.mixing);
    mixed.row(level) = drawn_towards(terms, brought.transpose() * shares,
                                     typical[static_cast<std::size_t>(level)], settings.pooling);
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
    for (Index i = 0; i < rest.size(); ++i) rest[i] = log_target[i] - level_factor(factors, machines[i]);
  }
  // Of what all have in common, with each level's factor.
  model.own = own_coefficients(terms, machines, rest, factors,
                               factors.array().exp().matrix() * model.coefficients.transpose(), settings);
  return model;
}

}  // namespace neph::predict
