#include "predict/models/level_factors.hpp"

#include <algorithm>

namespace neph::predict {

using Eigen::Index;
using Eigen::VectorXd;

double common_residual(const VectorXd& residuals) { return residuals.cwiseMin(1).cwiseMax(-1).mean(); }

VectorXd level_means(const VectorXd& values, const Eigen::VectorXi& levels, double rows_of_zero) {
  const Index count = levels.size() == 0 ? 0 : std::max(0, levels.maxCoeff() + 1);
  VectorXd sums = VectorXd::Zero(count), rows = VectorXd::Zero(count);
  for (Index i = 0; i < levels.size(); ++i) {
    if (levels[i] < 0) continue;
    sums[levels[i]] += values[i];
    rows[levels[i]] += 1;
  }
  return sums.array() / (rows.array() + rows_of_zero);
}

VectorXd level_factors(const std::vector<VectorXd>& factors, const Eigen::MatrixXi& levels) {
  VectorXd sums = VectorXd::Zero(levels.rows());
  for (std::size_t c = 0; c < factors.size(); ++c)
    for (Index i = 0; i < sums.size(); ++i) {
      const int level = levels(i, static_cast<Index>(c));
      if (level >= 0 && level < factors[c].size()) sums[i] += factors[c][level];
    }
  return sums;
}

}  // namespace neph::predict
