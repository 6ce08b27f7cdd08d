#include "predict/models/user_term_model.hpp"

#include "predict/models/level_factors.hpp"
#include "predict/models/linear.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int rounds_of_factors = 4;
constexpr int most_steps = 50;
constexpr double shortest_step = 1e-4;
constexpr double small_gain = 1e-9;  ///< of the sum of squares: the end of the search
constexpr double least_time = 1e-300;

MatrixXd powered(const MatrixXd& x, double power) { return power == 1 ? x : MatrixXd(x.array().pow(power)); }
VectorXd rooted(const VectorXd& x, double power) { return powered(x, 1 / power); }

/// Terms over the times of their rows, brought to mean 1 so that no power of them leaves the numbers there
/// are.
struct Relative {
  MatrixXd terms;
  VectorXd units;  ///< what was divided by

  Relative(const MatrixXd& given, const VectorXd& log_time) {
    terms = given.array().colwise() * (-log_time.array()).exp();
    const VectorXd means = terms.colwise().mean();
    units = (means.array() > 0).select(means, 1);
    terms.array().rowwise() /= units.transpose().array();
  }
};

/// Which x make the times (W x_1)^(1/p) + L x_2 nearest to 1: work W to the power p, x_1 that of its
/// coefficients.
struct Problem {
  MatrixXd work, latency;
  double power;

  Index rows() const { return work.rows(); }
  VectorXd work_times(const VectorXd& x) const { return rooted(work * x.head(work.cols()), power); }
  double squares(const VectorXd& x) const {
    return (work_times(x) + latency * x.tail(latency.cols()) - VectorXd::Ones(rows())).squaredNorm();
  }
  /// About a term that no row has nothing is known.
  VectorXd start() const {
    VectorXd x = VectorXd::Zero(work.cols() + latency.cols());
    for (Index k = 0; k < work.cols(); ++k)
      if (work.col(k).maxCoeff() > 0) x[k] = 1 / static_cast<double>(work.cols());
    return x;
  }
  /// The solution of the problem that is linear about x. The work's time S is homogeneous in x_1, of degree
  /// 1/p: S(x') is about (1 - 1/p) S(x) + J x'. `x` itself where the numbers leave what there is.
  VectorXd goal_from(const VectorXd& x) const {
    const VectorXd times = work_times(x);
    const VectorXd slopes = times.array() / (power * (work * x.head(work.cols())).array().max(least_time));
    MatrixXd terms(rows(), x.size());
    terms << slopes.asDiagonal() * work, latency;
    return terms.allFinite() ? non_negative(terms, VectorXd::Ones(rows()) - (1 - 1 / power) * times) : x;
  }
};

/// Gauss and Newton's steps, halved until they help.
VectorXd solved(const Problem& problem) {
  VectorXd x = problem.start();
  double squares = problem.squares(x);
  for (int round = 0; round < most_steps; ++round) {
    const double before = squares;
    const VectorXd way = problem.goal_from(x) - x;
    for (double step = 1; step >= shortest_step && squares == before; step /= 2) {
      const VectorXd there = (x + step * way).cwiseMax(0);
      const double reached = problem.squares(there);
      if (!(reached < squares)) continue;
      squares = reached;
      x = there;
    }
    if (before - squares <= small_gain * before) break;
  }
  return x;
}

}  // namespace

VectorXd UserTermModel::log_mean(const UserTermValues& terms, const Eigen::MatrixXi& levels) const {
  const VectorXd times =
      rooted(powered(terms.work * work.asDiagonal(), power).rowwise().sum(), power) + terms.latency * latency;
  return times.cwiseMax(least_time).array().log().matrix() + level_factors(factors, levels);
}

Result<UserTermModel> fit_user_terms(const UserTermValues& terms, const Eigen::MatrixXi& levels,
                                     const VectorXd& log_target, double power) {
  UserTermModel model{.power = power};
  if (terms.work.cols() + terms.latency.cols() == 0)
    return fail(ErrorCode::invalid_argument, "there are no given terms to fit");
  VectorXd rest = log_target;  // less the factors
  for (int round = 0; round < rounds_of_factors; ++round) {
    const Relative work(terms.work, rest), latency(terms.latency, rest);
    const Problem problem{powered(work.terms, power), latency.terms, power};
    if (!problem.work.allFinite() || !problem.latency.allFinite())
      return fail(ErrorCode::invalid_argument, "terms and times of these sizes cannot be compared");
    const auto x = solved(problem);
    model.work = rooted(x.head(work.units.size()), power).cwiseQuotient(work.units);
    model.latency = x.tail(latency.units.size()).cwiseQuotient(latency.units);
    if (levels.cols() == 0) break;
    model.factors.clear();
    const VectorXd without_factors = model.log_mean(terms, levels);
    VectorXd residuals = (log_target - without_factors).array() - common_residual(rest - without_factors);
    for (Index c = 0; c < levels.cols(); ++c) {
      model.factors.push_back(level_means(residuals, levels.col(c)));
      residuals -= level_factors({model.factors.back()}, levels.col(c));
    }
    rest = log_target - level_factors(model.factors, levels);
  }
  return model;
}

}  // namespace neph::predict
