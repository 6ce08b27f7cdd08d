#include "predict/models/user_term_model.hpp"

#include <cmath>

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

/// (sum_k (c_k W_k)^p)^(1/p)
VectorXd work_time(const MatrixXd& work, const VectorXd& coefficients, double power) {
  return rooted(powered(work * coefficients.asDiagonal(), power).rowwise().sum(), power);
}

/// Terms over the times of their rows, brought to mean 1 so that no power of them leaves the numbers there
/// are.
struct Relative {
  MatrixXd terms;
  VectorXd units;  ///< what was divided by

  Relative(const MatrixXd& given, const VectorXd& log_time) {
    const VectorXd inverse = (-log_time.array()).exp();
    terms = given.array().colwise() * inverse.array();
    units = terms.colwise().mean();
    for (auto& unit : units)
      if (!(unit > 0)) unit = 1;
    terms.array().rowwise() /= units.transpose().array();
  }
};

/// The search for the coefficients that make the relative times nearest to 1. `a`: c^p.
class Search {
 public:
  Search(const MatrixXd& work, const MatrixXd& latency, double power)
      : work_(powered(work, power)), latency_(latency), power_(power) {
    a_ = VectorXd::Constant(work.cols(), 1.0 / static_cast<double>(std::max<Index>(1, work.cols())));
    d_ = VectorXd::Zero(latency.cols());
    for (Index k = 0; k < a_.size(); ++k)  // about a term that no row has nothing is known
      if (!(work_.col(k).maxCoeff() > 0)) a_[k] = 0;
  }

  void run() {
    double squares = squares_of(a_, d_);
    for (int step = 0; step < most_steps; ++step) {
      const double before = squares;
      if (!improve(squares) || before - squares <= small_gain * before) return;
    }
  }
  VectorXd work() const { return rooted(a_, power_); }
  const VectorXd& latency() const { return d_; }

 private:
  VectorXd work_time(const VectorXd& a) const { return rooted(work_ * a, power_); }
  double squares_of(const VectorXd& a, const VectorXd& d) const {
    return (work_time(a) + latency_ * d - VectorXd::Ones(work_.rows())).squaredNorm();
  }
  /// Towards the solution of the problem that is linear about here. The work's time S is homogeneous in `a`,
  /// of degree 1/p: S(a') is about (1 - 1/p) S(a) + J a'.
  bool improve(double& squares) {
    const VectorXd time = work_time(a_);
    const VectorXd slope = time.array() / (power_ * (work_ * a_).array().max(least_time));
    MatrixXd terms(work_.rows(), work_.cols() + latency_.cols());
    terms << MatrixXd(work_.array().colwise() * slope.array()), latency_;
    if (!terms.allFinite()) return false;
    const VectorXd goal = non_negative(terms, VectorXd::Ones(work_.rows()) - (1 - 1 / power_) * time);
    const VectorXd to_a = goal.head(work_.cols()) - a_, to_d = goal.tail(latency_.cols()) - d_;
    for (double step = 1; step >= shortest_step; step /= 2) {
      const VectorXd a = a_ + step * to_a, d = d_ + step * to_d;
      const double reached = squares_of(a, d);
      if (!(reached < squares)) continue;
      squares = reached;
      a_ = a.cwiseMax(0);
      d_ = d.cwiseMax(0);
      return true;
    }
    return false;
  }

  MatrixXd work_, latency_;
  double power_;
  VectorXd a_, d_;
};

}  // namespace

VectorXd UserTermModel::log_mean(const UserTermValues& terms, const Eigen::MatrixXi& levels) const {
  VectorXd logs = work_time(terms.work, work, power) + terms.latency * latency;
  for (auto& value : logs) value = std::log(std::max(value, least_time));
  for (std::size_t c = 0; c < factors.size(); ++c)
    for (Index i = 0; i < logs.size(); ++i)
      logs[i] += level_factor(factors[c], levels(i, static_cast<Index>(c)));
  return logs;
}

Result<UserTermModel> fit_user_terms(const UserTermValues& terms, const Eigen::MatrixXi& levels,
                                     const VectorXd& log_target, double power) {
  UserTermModel model{.power = power};
  for (Index c = 0; c < levels.cols(); ++c) model.factors.emplace_back(VectorXd::Zero(0));
  if (terms.work.cols() + terms.latency.cols() == 0)
    return fail(ErrorCode::invalid_argument, "there are no given terms to fit");
  VectorXd rest = log_target;  // less the factors
  for (int round = 0; round < rounds_of_factors; ++round) {
    const Relative work(terms.work, rest), latency(terms.latency, rest);
    if (!powered(work.terms, power).allFinite() || !latency.terms.allFinite())
      return fail(ErrorCode::invalid_argument, "terms and times of these sizes cannot be compared");
    Search search(work.terms, latency.terms, power);
    search.run();
    model.work = search.work().cwiseQuotient(work.units);
    model.latency = search.latency().cwiseQuotient(latency.units);
    if (levels.cols() == 0) break;
    for (auto& factors : model.factors) factors.setZero();
    const VectorXd without_factors = model.log_mean(terms, levels);
    const double shift = common_residual(rest - without_factors);
    VectorXd residuals = (log_target - without_factors).array() - shift;
    for (Index c = 0; c < levels.cols(); ++c) {
      auto& factors = model.factors[static_cast<std::size_t>(c)];
      factors = level_means(residuals, levels.col(c));
      for (Index i = 0; i < residuals.size(); ++i) residuals[i] -= level_factor(factors, levels(i, c));
    }
    rest = log_target;
    for (Index c = 0; c < levels.cols(); ++c)
      for (Index i = 0; i < rest.size(); ++i)
        rest[i] -= level_factor(model.factors[static_cast<std::size_t>(c)], levels(i, c));
  }
  return model;
}

}  // namespace neph::predict
