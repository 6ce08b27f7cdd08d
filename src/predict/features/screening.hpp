// Which of very many columns a method looks at: of hundreds most say nothing, and a fit of all of them
// follows the noise at the cost of a cubic.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace neph::predict {

/// The columns that say most of the target, ascending: one after the other, each the one that explains most
/// of what those before it leave (forward regression: Wang, J. American Statistical Association 104, 2009).
/// All, where there are no more than `most`; else at most so many, no more than a quarter of the rows or
/// four, and none that gains less than the extended BIC asks for (Chen, Chen, Biometrika 95, 2008). None that
/// never differs. Of more than a thousand rows a draw is looked at.
std::vector<Eigen::Index> strongest(const Eigen::MatrixXd& numbers, const Eigen::VectorXd& target,
                                    Eigen::Index most);

/// The same of category columns, level -1 being one of them; what each explains is less by what as many
/// levels of noise would (adjusted R^2).
std::vector<Eigen::Index> strongest(const Eigen::MatrixXi& levels, const Eigen::VectorXd& target,
                                    Eigen::Index most);

}  // namespace neph::predict
