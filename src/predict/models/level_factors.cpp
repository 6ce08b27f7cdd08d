#include "predict/models/level_factors.hpp"

#include <algorithm>

namespace neph::predict {

using Eigen::Index;
using Eigen::VectorXd;

namespace {
constexpr double rows_a_factor_is_worth = 0.5;
}  // namespace

double common_residual(const VectorXd& residuals) { return residuals.cwiseMin(1).cwiseMax(-1).mean(); }

VectorXd level_means(const VectorXd& residuals, const Eigen::VectorXi& levels) {
  const Index count = levels.size() == 0 ? 0 : std::max(0, levels.maxCoeff() + 1);
  VectorXd sums = VectorXd::Zero(count), rows = VectorXd::Zero(count);
  for (Index i = 0; i < levels.size(); ++i) {
    if (levels[i] < 0) continue;
    sums[levels[i]] += residuals[i];
    rows[levels[i]] += 1;
  }
  return sums.array() / (rows.array() + rows_a_factor_is_worth);
}

double level_factor(const VectorXd& factors, int level) {
  return level < 0 || level >= factors.size() ? 0 : factors[level];
}

}  // namespace neph::predict
