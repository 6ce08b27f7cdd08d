// What hold-outs say of the members.
#pragma once

#include <functional>

#include "predict/ensemble/ensemble.hpp"
#include "predict/ensemble/hold_out.hpp"

namespace neph::predict {

/// How the members did on one hold-out.
struct Trial {
  std::vector<Shift> shifts;  ///< of what was left out
  /// Rows left out by members: log of predicted over measured; infinite where a member could not be fitted.
  Eigen::MatrixXd errors;
  /// How far beyond the range that was kept the rows lie on average by each shift, or from the nearest value
  /// between those, in the unit of the number's distances; 0 for categories.
  std::vector<double> distances;
  /// Of each row: which draw of the shift it is of, the level that was left out; empty: all are of one.
  std::vector<int> draws = {};
};

struct TrialSettings {
  Eigen::RowVectorXd units;  ///< of distances in each ranged number; empty: 1
  std::size_t threads = 2;
  std::function<void(std::size_t done, std::size_t all)> progress;  ///< called by one thread at a time
};

/// All members on every hold-out; of more than 16 numbers or 8 categories on those of the strongest. Where
/// levels are left out, they are fitted without their category, as they answer for an unseen one. The same
/// for the same inputs, whatever the number of threads.
std::vector<Trial> run_trials(const std::vector<MemberSpec>& specs, const MemberContext& context,
                              const Inputs& inputs, const Eigen::VectorXd& log_target,
                              const Ensemble* guesses, const TrialSettings& settings);

}  // namespace neph::predict
