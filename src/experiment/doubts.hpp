// Reasons for doubt that no single run can see.
#pragma once

#include <vector>

#include "record/views.hpp"

namespace neph::experiment {

/// The runs' own warnings, each code once, with the number of runs that have it and the ranges of its figures
/// over them; where runs say it in other words, in those of the first.
std::vector<Warning> merged_warnings(const std::vector<const Run*>& ok_runs);

/// few_repeats, few_requests, wide_interval, outlier_runs, drift_over_runs: of the main metric over the
/// repeats; of the first figure where the runs have none.
/// some_runs_failed: some did well, and not all. answers_differ: between the repeats of the one cell.
std::vector<Warning> doubts_over_repeats(const View& view, const CellSummary& summary,
                                         const std::vector<const Run*>& ok_runs);

/// Invalid without a run that did well; else what the heaviest warning makes it: hints leave a cell valid.
Verdict verdict_of(const CellSummary& summary);

}  // namespace neph::experiment
