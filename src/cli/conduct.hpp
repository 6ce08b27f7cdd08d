// From a plan to its results: prepare, estimate, run, store, show.
#pragma once

#include "cli/command.hpp"
#include "cli/plan.hpp"
#include "report/report.hpp"

namespace neph::cli {

/// How an experiment is conducted and shown.
struct ConductOptions {
  bool resume = false;
  bool dry_run = false;
  bool json = false;
  /// Called with the results after they were shown: files in other formats.
  std::function<Status(const report::Document&)> also;
};
void declare_flags(Command& command, ConductOptions& options);

/// Runs the plan to its end and prints its table, or JSON, to stdout. Errors: those of the store and of the
/// preparation; failed runs are data, but when every run failed the error says so.
Status conduct_plan(Plan plan, const ConductOptions& options);

}  // namespace neph::cli
