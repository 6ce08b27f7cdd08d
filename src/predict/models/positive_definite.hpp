// Symmetric positive definite matrices, of which only lower triangles are read and written.
#pragma once

#include <Eigen/Core>

namespace neph::predict {

/// Cholesky's factor in place of `matrix`; false: it is not positive definite, and its contents are lost.
bool factorise(Eigen::MatrixXd& matrix);

/// x of L L' x = `right`.
Eigen::VectorXd solve(const Eigen::MatrixXd& factor, Eigen::VectorXd right);

/// (L L')^-1 in place of L.
void invert(Eigen::MatrixXd& factor);

}  // namespace neph::predict
