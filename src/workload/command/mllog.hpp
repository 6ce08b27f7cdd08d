// `:::MLLOG` lines, as MLPerf's logging library writes them: begins and ends of a training's parts, and
// accuracies.
#pragma once

#include <optional>
#include <string_view>

#include "workload/command/told.hpp"

namespace neph::workload::command {

/// The moment is the line's own `time_ms`, which counts from 1970; `epoch_at_s` is CLOCK_MONOTONIC's reading
/// then, below 0. Empty: it is no such line, or tells nothing of a training's course.
std::optional<Told> read_mllog(std::string_view line, double epoch_at_s);

}  // namespace neph::workload::command
