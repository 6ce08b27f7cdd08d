// Linear least squares with what regression of run times needs: a penalty, or no negative coefficient.
// Pure functions of matrices; threads: any. Rows are observations, columns are terms.
#pragma once

#include <Eigen/Core>

namespace neph::predict {

/// min |A x - b|^2 + sum_j penalty_j x_j^2. `penalties`: one per column, none below 0. Where they leave the
/// solution open (dependent columns, no penalty) it is the shortest one.
Eigen::VectorXd ridge(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, const Eigen::VectorXd& penalties);

/// min |A x - b|^2 with every x_j >= 0: the active set method of Lawson and Hanson, Solving Least Squares
/// Problems, 1974, chapter 23. Columns are brought to length 1 first, so that their units do not matter; a
/// column of zeros gets 0.
Eigen::VectorXd non_negative(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

/// The same from A'A and A'b, whose columns have length 1: for many fits of the same observations.
Eigen::VectorXd non_negative_normal(const Eigen::MatrixXd& gram, const Eigen::VectorXd& moments);

}  // namespace neph::predict
