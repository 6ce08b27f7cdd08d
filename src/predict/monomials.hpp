// Terms found in the data: products of whole powers of quantities, whose sum with coefficients not below 0 is
// the time.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace neph::predict {

/// One term: the power of each quantity.
using Powers = std::vector<int>;

/// "global batch * hidden size^2 / GPUs"
std::string monomial_text(const Powers& powers, const std::vector<std::string>& quantities);

/// Rows by terms.
Eigen::MatrixXd monomials(const Eigen::MatrixXd& log_quantities, const std::vector<Powers>& terms);

/// At most `most` terms, chosen one by one: the one whose direction explains most of what is left (of
/// relative errors, with coefficients not below 0), after which its neighbours, with one power more or less,
/// may be chosen too. A non-negative orthogonal matching pursuit (Bruckstein, Elad, Zibulevsky, IEEE Trans.
/// Information Theory 54(11), 2008) over a growing dictionary that begins with what a regression of
/// logarithms says. Of more than 16 quantities the strongest (screening.hpp) are looked at.
std::vector<Powers> choose_monomials(const Eigen::MatrixXd& log_quantities, const Eigen::VectorXd& log_target,
                                     std::size_t most, double power);

}  // namespace neph::predict
