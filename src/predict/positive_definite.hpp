// Symmetric positive definite matrices by LAPACK, which makes use of what the processor has: of those that
// are fitted to. What a fitted model says of a row is computed elsewhere, with the same bits everywhere
// (steady_math.hpp). Only lower triangles are read and written.
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
