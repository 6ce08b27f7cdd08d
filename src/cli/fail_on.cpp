#include "cli/fail_on.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/units.hpp"

namespace neph::cli {
namespace {

FailOn gravest_of(const CellSummary& cell) {
  if (cell.runs_failed > 0 || cell.runs_ok == 0) return FailOn::failed;
  if (cell.verdict == Verdict::invalid) return FailOn::invalid;
  return cell.verdict == Verdict::doubtful ? FailOn::warning : FailOn::nothing;
}

}  // namespace

std::string failure_of(const std::vector<CellSummary>& cells, FailOn level) {
  std::string counts;
  for (const auto& [kind, words] : {std::pair(FailOn::failed, "with failed runs"),
                                    {FailOn::invalid, "invalid"},
                                    {FailOn::warning, "with warnings"}}) {
    const auto so_bad = std::count_if(cells.begin(), cells.end(),
                                      [kind = kind](const auto& cell) { return gravest_of(cell) == kind; });
    if (kind >= level && so_bad > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", so_bad, words);
  }
  if (counts.empty()) return {};
  return fmt::format("of {}: {}", counted(std::ssize(cells), "configuration"), counts);
}

}  // namespace neph::cli
