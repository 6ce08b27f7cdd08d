// From a plan to its results: prepare, estimate, run, store, show.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/plan.hpp"
#include "record/experiment.hpp"
#include "report/report.hpp"

namespace neph::cli {

/// From light to grave; each includes the graver ones, and nothing is so bad as `nothing`.
enum class FailOn { warning, invalid, failed, nothing };
constexpr auto enum_names(FailOn) {
  return std::array{Named{FailOn::warning, "warning"}, Named{FailOn::invalid, "invalid"},
                    Named{FailOn::failed, "failed"}, Named{FailOn::nothing, "nothing"}};
}

/// How many cells are so bad: "of 4 configurations: 1 with failed runs, 2 invalid"; empty: none is. A cell
/// counts once, as the gravest that it is; hints never do.
std::string failure_of(const std::vector<CellSummary>& cells, FailOn level);

/// How an experiment is conducted and shown.
struct ConductOptions {
  bool resume = false;
  bool dry_run = false;
  bool json = false;
  FailOn fail_on = FailOn::failed;
  std::function<bool()> is_fail_on_asked{};  ///< empty: it is not
  std::string dstat;                         ///< file for the machine's telemetry; empty: none
  /// Called with the results after they were shown: files in other formats.
  std::function<Status(const report::Document&)> also;
};

template <class Visit, Describes<ConductOptions> Self>
void describe(Visit&& v, Self& s) {
  v("fail_on", s.fail_on,
    "exit code 1 on failed runs and configurations that cannot run (failed), on these or invalid verdicts "
    "(invalid), on these or warnings (warning); notes never count");
}
void declare_flags(Command& command, ConductOptions& options);

/// Runs the plan to its end and prints its table, or JSON, to stdout. Configurations that cannot run here are
/// listed first and left out. Gives the exit code: 0, or failed_as_asked. Errors: those of the store and of
/// the preparation; where no configuration can run, or every run failed, and nothing was asked of the exit
/// code, the error says so.
Result<int> conduct_plan(Plan plan, const ConductOptions& options);

}  // namespace neph::cli
