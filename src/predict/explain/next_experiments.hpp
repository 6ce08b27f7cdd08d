// Which measurements would help most.
#pragma once

#include "predict/explain/validation.hpp"

namespace neph::predict {

/// Combinations of the measured values of each column that were not measured themselves, as a table with the
/// columns of the points: all of them, or so many random ones. Columns of which one follows from another (a
/// machine and its memory) keep together, and what follows from several (Relations) does so here too. A
/// column that reaches another and is never above it, as threads on cores, is not above it here.
table::Table candidate_grid(const table::Table& points, std::size_t most, std::uint64_t seed);

struct NextExperimentSettings {
  std::size_t count = 5;
  std::size_t most_candidates = 1000;
  std::uint64_t seed = 1;
};

/// One after the other the candidate_grid combination whose measurement lets the variance of all of them
/// together fall most, given the points and those chosen before it (MacKay, Neural Computation 4(4), 1992;
/// Cohn, Neural Networks 9(6), 1996; Krause, Singh, Guestrin, JMLR 9, 2008), as a Gaussian process behind a
/// log-linear backbone sees it, which is fitted for this. Values and intervals are those of the method of
/// `options`, fitted on all points. Combinations that it refuses, since their network cannot be built with
/// such small pictures, are no measurements. Fewer where fewer combinations are left. Errors: those of
/// Model::fit, GaussianProcess::fit, and Model::predict.
Result<std::vector<Proposal>> next_experiments(const Profile& profile, const FitOptions& options,
                                               const NextExperimentSettings& settings = {});

}  // namespace neph::predict
