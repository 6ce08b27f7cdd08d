#include "predict/models/linear.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <vector>

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

using Columns = std::vector<Index>;

MatrixXd chosen(const MatrixXd& a, const Columns& in) {
  MatrixXd part(a.rows(), static_cast<Index>(in.size()));
  for (std::size_t i = 0; i < in.size(); ++i) part.col(static_cast<Index>(i)) = a.col(in[i]);
  return part;
}

/// `inner` at the places `in` of a vector that is 0 elsewhere.
VectorXd spread(const VectorXd& inner, const Columns& in, Index size) {
  VectorXd all = VectorXd::Zero(size);
  for (std::size_t i = 0; i < in.size(); ++i) all[in[i]] = inner[static_cast<Index>(i)];
  return all;
}

/// A least squares problem with columns of length 1.
struct Problem {
  MatrixXd a;
  VectorXd b;
  Index size() const { return a.cols(); }
  VectorXd gradient(const VectorXd& x) const { return a.transpose() * (b - a * x); }
  VectorXd over(const Columns& in) const {
    return spread(chosen(a, in).colPivHouseholderQr().solve(b), in, size());
  }
};

/// How far the feasible `x` may go towards `goal`: to 1, or to where the first of its parts becomes 0.
double step_towards(const VectorXd& x, const VectorXd& goal, const Columns& in) {
  double step = 1;
  for (const auto j : in)
    if (goal[j] <= 0) step = std::min(step, x[j] / (x[j] - goal[j]));
  return step;
}

/// From `x` to the best of the columns `in`, leaving out those that would go below 0 (Lawson and Hanson's
/// steps 6 to 11).
VectorXd settled(const Problem& problem, VectorXd x, Columns& in) {
  for (auto goal = problem.over(in);; goal = problem.over(in)) {
    const double step = step_towards(x, goal, in);
    if (step >= 1) return goal;
    x += step * (goal - x);
    std::erase_if(in, [&](Index j) { return goal[j] <= 0 && x[j] <= 1e-14 * x.maxCoeff(); });
    if (in.empty()) return VectorXd::Zero(x.size());
    x = spread(chosen(x.transpose(), in).transpose(), in, x.size());
  }
}

VectorXd active_set(const Problem& problem) {
  constexpr double tolerance = 1e-12;
  VectorXd x = VectorXd::Zero(problem.size());
  if (problem.size() == 0) return x;
  const double scale = problem.gradient(x).cwiseAbs().maxCoeff();
  Columns in, useless;  // useless: rounding alone says that they would help
  for (Index rounds = 0; rounds < 3 * problem.size() + 10; ++rounds) {
    auto gradient = problem.gradient(x);
    for (const auto* closed : {&in, &useless})
      for (const auto j : *closed) gradient[j] = 0;
    Index best = 0;
    if (!(gradient.maxCoeff(&best) > tolerance * scale)) break;
    auto with = in;
    with.push_back(best);
    if (problem.over(with)[best] <= 0) {
      useless.push_back(best);
      continue;
    }
    useless.clear();
    in = std::move(with);
    x = settled(problem, std::move(x), in);
  }
  return x;
}

}  // namespace

VectorXd non_negative(const MatrixXd& a, const VectorXd& b) {
  VectorXd lengths = a.colwise().norm();
  for (auto& length : lengths)
    if (!(length > 0)) length = 1;
  return active_set(Problem{a * lengths.cwiseInverse().asDiagonal(), b}).cwiseQuotient(lengths);
}

}  // namespace neph::predict
