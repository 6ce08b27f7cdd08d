// Cells against each other: were they measured on the same machine?
#include <map>

#include <fmt/format.h>

#include "experiment/doubts.hpp"
#include "experiment/experiment.hpp"

namespace neph::experiment {
namespace {

/// How many of its runs that ended well were made on which machine.
using Shares = std::map<std::int64_t, std::int64_t>;

/// "2 on machine #1, 3 on machine #4": names and not figures, of which a range could be made
std::string in_words(const Shares& shares) {
  std::string words;
  for (const auto& [machine, runs] : shares)
    words += fmt::format("{}{} on machine #{}", words.empty() ? "" : ", ", runs, machine);
  return words;
}

}  // namespace

void check_machines(std::vector<CellSummary>& summaries, const std::vector<Run>& runs) {
  Shares all;
  std::map<std::int64_t, Shares> of_cell;
  for (const auto& run : runs) {
    if (run.status != RunStatus::ok || !run.machine_id) continue;
    ++all[*run.machine_id];
    ++of_cell[run.cell][*run.machine_id];
  }
  if (all.size() < 2) return;
  for (auto& summary : summaries) {
    const auto& shares = of_cell[summary.cell.index];
    if (shares.empty()) continue;
    summary.warnings.push_back(
        make_warning(WarningCode::machines_differ,
                     fmt::format("the compared runs are from {} machines; of this configuration {}",
                                 all.size(), in_words(shares))));
    summary.verdict = verdict_of(summary);
  }
}

}  // namespace neph::experiment
