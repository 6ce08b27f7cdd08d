// What a sum of work leaves: a factor of all rows, and of the levels of a category, as logarithms.
#pragma once

#include <Eigen/Core>

namespace neph::predict {

/// Categories of more levels have no factors in a sum of features: its matrix would grow with them.
constexpr Eigen::Index most_levels_with_factors = 200;

/// What all residuals have in common: their mean, a row that nothing explains counted as a factor of e.
double common_residual(const Eigen::VectorXd& residuals);

/// Means of the residuals by level, drawn towards 0: a level with one row gets two thirds of its own.
/// `levels`: -1: unknown.
Eigen::VectorXd level_means(const Eigen::VectorXd& residuals, const Eigen::VectorXi& levels);

/// 0 for a level that is not known.
double level_factor(const Eigen::VectorXd& factors, int level);

}  // namespace neph::predict
