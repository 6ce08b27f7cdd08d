// The members, fitted to the same rows: what they see of them, and what each says of others.
#pragma once

#include <vector>

#include "predict/models/machine_law.hpp"
#include "predict/models/member.hpp"

namespace neph::predict {

/// Columns that the members see.
struct FeatureSubset {
  std::vector<Eigen::Index> numbers;     ///< ascending
  std::vector<Eigen::Index> categories;  ///< ascending
};
Inputs seen(const FeatureSubset& subset, const Inputs& inputs);

/// Which categories have one level for each machine: of a new machine they are new too.
std::vector<bool> machines_own(const Eigen::MatrixXi& levels, Eigen::Index machine);

/// For the law of machines, of inputs with the speeds of their machines; without the machines' own
/// categories. The speeds of a rate are negative: it rises with them.
MachineRows machine_rows(const Inputs& inputs, FeatureSubset columns, const MemberContext& context,
                         const std::vector<bool>& machines_own);

/// Categories that members are fitted without: what nothing is known of says nothing, and taken for one more
/// level it would take with it what the levels had explained.
using Unseen = std::vector<Eigen::Index>;

struct Ensemble {
  FeatureSubset columns;
  std::vector<std::optional<Member>> members;  ///< of each spec

  /// Fits each spec to the columns that say most (screening.hpp) where there are very many, without the
  /// categories `unseen`. A member that cannot be fitted is left out. `guesses`: kernels of the members of an
  /// ensemble fitted to much the same rows. The same whatever the number of threads. Error: that of the first
  /// member, if none could be fitted.
  static Result<Ensemble> fit(const std::vector<MemberSpec>& specs, MemberContext context,
                              const Inputs& inputs, const Eigen::VectorXd& log_target,
                              const Unseen& unseen = {}, const Ensemble* guesses = nullptr,
                              std::size_t threads = 1);

  /// Rows by specs, in the order of fit(); NaN of a member that was left out, or is not `wanted`.
  Eigen::MatrixXd log_means(const Inputs& at, const std::vector<bool>& wanted = {}) const;
};

}  // namespace neph::predict
