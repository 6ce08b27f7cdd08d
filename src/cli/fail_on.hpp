// What of its results makes a measurement's command fail, for scripts and CI.
#pragma once

#include <string>
#include <vector>

#include "record/experiment.hpp"

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

}  // namespace neph::cli
