// Reasons for doubt that no single run can see.
#pragma once

#include <string_view>
#include <vector>

#include "record/experiment.hpp"

namespace neph::experiment {

/// The figure of the cell that is judged: pictures per second where there is one, else the first.
std::string_view main_figure(const std::vector<const Run*>& ok_runs);

/// The runs' own warnings, each code once, with the number of runs that have it and the ranges of its figures
/// over them; where runs say it in other words, in those of the first.
std::vector<Warning> merged_warnings(const std::vector<const Run*>& ok_runs);

/// few_repeats, few_requests, wide_interval, outlier_runs, drift_over_runs: of the main figure over the
/// repeats.
/// some_runs_failed: some did well, and not all. answers_differ: between the repeats of the one cell.
std::vector<Warning> doubts_over_repeats(const CellSummary& summary, const std::vector<const Run*>& ok_runs);

/// Invalid without a run that did well; else what the heaviest warning makes it: hints leave a cell valid.
Verdict verdict_of(const CellSummary& summary);

}  // namespace neph::experiment
