// Stepwise regression (Efroymson, Multiple regression analysis, in Mathematical Methods for Digital
// Computers, 1960; Draper and Smith, Applied Regression Analysis, 3rd edition 1998, section 15.2).
#pragma once

#include "predict/feature.hpp"

namespace neph::predict {

struct StepwiseSettings {
  /// Probability that a column that says nothing would do as well in the partial F test: with less it is
  /// entered, with more removed. Removal above entry, or steps might go in a circle.
  double entry = 0.05, removal = 0.1;
  /// A column is entered only when so much of its variance the others do not explain (the default tolerance
  /// of SPSS).
  double tolerance = 1e-4;
};

/// Columns of a linear regression with a constant, in the order of their entry. In turns, the one with the
/// least probability is entered, then the one with the largest removed, one at a time until none should be.
/// `columns`: standardised. Cost: rows * columns^2, and columns^2 a step (sweeps of the matrix of products).
std::vector<Eigen::Index> stepwise_columns(const Eigen::MatrixXd& columns, const Eigen::VectorXd& target,
                                           const StepwiseSettings& settings = {});

/// Of the time itself over inverses of columns and products of two.
FeatureSum fit_stepwise(const Inputs& inputs, const Eigen::VectorXd& log_target);

}  // namespace neph::predict
