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

/// Of the columns `in` alone, the others being 0.
VectorXd least_squares(const MatrixXd& a, const VectorXd& b, const Columns& in) {
  VectorXd x = VectorXd::Zero(a.cols());
  if (!in.empty()) x(in) = MatrixXd(a(Eigen::all, in)).colPivHouseholderQr().solve(b);
  return x;
}

/// From the feasible `x` to the best of the columns `in`, leaving out those that would go below 0 (Lawson and
/// Hanson's steps 6 to 11).
VectorXd settled(const MatrixXd& a, const VectorXd& b, VectorXd x, Columns& in) {
  for (;;) {
    const auto goal = least_squares(a, b, in);
    double step = 1;  // to the goal, or to where the first becomes 0
    for (const auto j : in)
      if (goal[j] <= 0) step = std::min(step, x[j] / (x[j] - goal[j]));
    if (step >= 1) return goal;
    x += step * (goal - x);
    const double rounding = 1e-14 * x.maxCoeff();
    std::erase_if(in, [&](Index j) {
      const bool is_out = goal[j] <= 0 && x[j] <= rounding;
      if (is_out) x[j] = 0;
      return is_out;
    });
  }
}

/// Of columns of length 1.
VectorXd active_set(const MatrixXd& a, const VectorXd& b) {
  constexpr double tolerance = 1e-12;
  VectorXd x = VectorXd::Zero(a.cols());
  if (x.size() == 0) return x;
  const double rounding = tolerance * (a.transpose() * b).cwiseAbs().maxCoeff();
  Columns in, useless;  // useless: rounding alone says that they would help
  for (Index rounds = 0; rounds < 3 * x.size() + 10; ++rounds) {
    VectorXd gradient = a.transpose() * (b - a * x);
    for (const auto* closed : {&in, &useless})
      for (const auto j : *closed) gradient[j] = 0;
    Index best = 0;
    if (!(gradient.maxCoeff(&best) > rounding)) break;
    auto with = in;
    with.push_back(best);
    if (least_squares(a, b, with)[best] <= 0) {
      useless.push_back(best);
      continue;
    }
    useless.clear();
    in = std::move(with);
    x = settled(a, b, std::move(x), in);
  }
  return x;
}

}  // namespace

VectorXd non_negative(const MatrixXd& a, const VectorXd& b) {
  const VectorXd norms = a.colwise().norm(), lengths = (norms.array() > 0).select(norms, 1);
  return active_set(a * lengths.cwiseInverse().asDiagonal(), b).cwiseQuotient(lengths);
}

}  // namespace neph::predict
