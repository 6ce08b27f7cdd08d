// Times that are put together from terms that the user gives: work whose largest term rules, or whose terms
// add up, and behind it latency, which adds. Coefficients are rates and delays, therefore never below 0.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/result.hpp"
#include "predict/features/user_terms.hpp"

namespace neph::predict {

/// log t = log((sum_k (c_k W_k)^p)^(1/p) + sum_j d_j L_j) + sum over categories of factor[level]
struct UserTermModel {
  Eigen::VectorXd work, latency;         ///< c, d: the target's unit per unit of each term
  double power = 1;                      ///< p: 1 adds the work up, more lets the largest term rule
  std::vector<Eigen::VectorXd> factors;  ///< logarithms, one vector per category

  /// `levels`: -1: the mean of what is known.
  Eigen::VectorXd log_mean(const UserTermValues& terms, const Eigen::MatrixXi& levels) const;
};

/// Least squares of relative errors: non-negative ones of the terms where they add up, else steps of Gauss
/// and Newton, each such a problem of its own, halved until it helps. Errors relative to what was measured
/// favour short times: of noise, all coefficients are exp(-1.5 noise^2) of what they should be. Error:
/// invalid_argument (no terms, or terms and times whose quotients are not finite).
Result<UserTermModel> fit_user_terms(const UserTermValues& terms, const Eigen::MatrixXi& levels,
                                     const Eigen::VectorXd& log_target, double power);

}  // namespace neph::predict
