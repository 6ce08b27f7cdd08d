// Reasons for doubt that no single run can see.
#pragma once

#include <vector>

#include "record/run.hpp"
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

/// The same classes; of items that one of them calls close (fact::close_answers), any. Where the classes were
/// not read (store::Detail::summary), close items are taken for all that differs.
bool answer_alike(const RunResult& a, const RunResult& b);

/// "3 of 500 answers" that differ; less where the classes were not read.
std::string how_many_differ(const RunResult& a, const RunResult& b);

}  // namespace neph::experiment
