// What hold-outs say of candidates.
#pragma once

#include <functional>
#include <vector>

#include "predict/candidate.hpp"
#include "predict/hold_out.hpp"

namespace neph::predict {

/// How the candidates did on one hold-out.
struct Trial {
  std::vector<Condition> conditions;  ///< of what was left out
  /// Rows left out by ways to predict (each candidate with each departure): log of predicted over measured.
  Eigen::MatrixXd errors;
  /// How far beyond the range that was kept the rows lie by each condition, or from the nearest value between
  /// those, in the unit of the number's distances; 0 for categories.
  std::vector<double> distances;
};

struct TrialSettings {
  HoldOutSettings hold_out;
  std::vector<Condition> known;  ///< hold-outs of these are left out
  /// Only hold-outs by which Blend judges these, and folds, are tried; nothing: all.
  std::optional<std::vector<Condition>> asked;
  Eigen::RowVectorXd units;  ///< of distances in each ranged number; empty: 1
  std::size_t threads = 2;
  std::vector<std::optional<Kernel>> guesses;                       ///< first_guesses(); empty: none
  std::function<void(std::size_t done, std::size_t all)> progress;  ///< called by one thread at a time
};

/// Each spec's kernel on all rows, as a first guess of what it is on most of them. Empty where a spec has
/// none.
std::vector<std::optional<Kernel>> first_guesses(const std::vector<CandidateSpec>& specs,
                                                 const CandidateContext& context, const Inputs& inputs,
                                                 const Eigen::VectorXd& log_target, std::size_t threads);

/// Every candidate on every hold-out; of more than 16 numbers or 8 categories on those of the strongest. A
/// candidate that cannot be fitted there has errors of infinity. The same for the same inputs, whatever the
/// number of threads.
std::vector<Trial> run_trials(const std::vector<CandidateSpec>& specs, const CandidateContext& context,
                              const Inputs& inputs, const Eigen::VectorXd& log_target,
                              const TrialSettings& settings);

}  // namespace neph::predict
