// What a sum of work leaves: a factor of all rows, and of the levels of a category, as logarithms.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace neph::predict {

/// Categories of more levels have no factors in a sum of features: its matrix would grow with them.
constexpr Eigen::Index most_levels_with_factors = 200;

/// What all residuals have in common: their mean, a row that nothing explains counted as a factor of e.
double common_residual(const Eigen::VectorXd& residuals);

/// Means by level, drawn towards 0 as by so many rows of 0 (0.5: a level with one row gets two thirds of its
/// own). `levels`: -1: unknown.
Eigen::VectorXd level_means(const Eigen::VectorXd& values, const Eigen::VectorXi& levels,
                            double rows_of_zero = 0.5);

/// Of each row: the sum of its levels' factors, of the first categories as many as there are factors of; 0
/// for a level that is not known.
Eigen::VectorXd level_factors(const std::vector<Eigen::VectorXd>& factors, const Eigen::MatrixXi& levels);

}  // namespace neph::predict
