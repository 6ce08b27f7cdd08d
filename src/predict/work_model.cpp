#include "predict/work_model.hpp"

#include <cmath>

#include "predict/level_factors.hpp"
#include "predict/linear.hpp"
#include "predict/smooth_maximum.hpp"
#include "predict/steady_math.hpp"

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
MatrixXd relative(const MatrixXd& terms, const VectorXd& log_time, double power) {
  return terms.array().colwise() * (-power * log_time.array()).exp();
}

VectorXd log_sum(const MatrixXd& terms, const VectorXd& coefficients, double power) {
  VectorXd logs = VectorXd::Zero(terms.rows());
  for (Index k = 0; k < terms.cols(); ++k)
    if (coefficients[k] > 0) logs += coefficients[k] * terms.col(k);
  for (auto& value : logs) value = steady::log(std::max(value, 1e-300)) / power;
  return logs;
}

/// Levels by terms: what all have in common, with each level's factor.
MatrixXd common_by_level(const VectorXd& coefficients, const VectorXd& factors, double power) {
  return (power * factors.array()).exp().matrix() * coefficients.transpose();
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
MatrixXd own_coefficients(const MatrixXd& at_power, const Eigen::VectorXi& levels, const VectorXd& log_rest,
                          const VectorXd& factors, const MatrixXd& common, const WorkSettings& settings) {
  std::vector<MatrixXd> own_terms;
  std::vector<VectorXd> typical;
  MatrixXd own = common;
  const VectorXd usual = relative(at_power, log_rest, settings.power).colwise().mean();
  for (int level = 0; level < common.rows(); ++level) {
    std::vector<Index> rows;
    for (Index i = 0; i < levels.size(); ++i)
      if (levels[i] == level) rows.push_back(i);
    MatrixXd part(static_cast<Index>(rows.size()), at_power.cols());
    VectorXd time(part.rows());
    for (Index i = 0; i < part.rows(); ++i) {
      part.row(i) = at_power.row(rows[static_cast<std::size_t>(i)]);
      time[i] = log_rest[rows[static_cast<std::size_t>(i)]] + factors[level];
    }
    own_terms.push_back(relative(part, time, settings.power));
    typical.emplace_back(std::exp(-settings.power * factors[level]) * usual);
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
      if (are_known)
        here.array() *=
            (settings.speeds.row(other).array() / settings.speeds.row(level).array()).pow(settings.power);
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
  const auto at_power = powered(terms, power);
  VectorXd logs = log_sum(at_power, coefficients, power);
  for (Index level = 0; own_category && level < own.rows(); ++level) {
    if (own.row(level).maxCoeff() <= 0) continue;
    std::vector<Index> rows;
    for (Index i = 0; i < logs.size(); ++i)
      if (levels(i, *own_category) == level) rows.push_back(i);
    if (!rows.empty()) logs(rows) = log_sum(at_power(rows, Eigen::all), own.row(level).transpose(), power);
  }
  for (std::size_t c = 0; c < factors.size(); ++c)
    for (Index i = 0; i < logs.size(); ++i)
      logs[i] += level_factor(factors[c], levels(i, static_cast<Index>(c)));
  return logs;
}

Result<WorkModel> fit_work(const MatrixXd& terms, const MatrixXi& levels, const VectorXd& log_target,
                           const WorkSettings& settings) {
  const auto at_power = powered(terms, settings.power);
  if (terms.cols() == 0 || !relative(at_power, log_target, settings.power).allFinite())
    return fail(ErrorCode::invalid_argument, "terms and times of these sizes cannot be compared");
  WorkModel model{.power = settings.power, .own_category = settings.own_category};
  for (Index c = 0; c < levels.cols(); ++c) model.factors.emplace_back(VectorXd::Zero(0));
  const VectorXd ones = VectorXd::Ones(terms.rows());
  VectorXd rest = log_target;  // less the factors
  auto varying = settings.factor_categories;
  if (settings.own_category) varying.push_back(*settings.own_category);
  for (int round = 0; round < rounds_of_factors; ++round) {
    model.coefficients = non_negative(relative(at_power, rest, settings.power), ones);
    if (varying.empty()) break;
    const VectorXd without_factors = log_sum(at_power, model.coefficients, settings.power);
    const double shift = common_residual(rest - without_factors);
    VectorXd residuals = (log_target - without_factors).array() - shift;
    for (const auto c : varying) {
      model.factors[static_cast<std::size_t>(c)] = level_means(residuals, levels.col(c));
      for (Index i = 0; i < residuals.size(); ++i)
        residuals[i] -= level_factor(model.factors[static_cast<std::size_t>(c)], levels(i, c));
    }
    rest = (residuals + without_factors).array() + shift;
  }
  if (!settings.own_category) return model;

  const auto own = *settings.own_category;
  auto& own_factors = model.factors[static_cast<std::size_t>(own)];
  model.own = own_coefficients(at_power, levels.col(own), rest, own_factors,
                               common_by_level(model.coefficients, own_factors, settings.power), settings);
  own_factors.setZero();
  return model;
}

}  // namespace neph::predict
