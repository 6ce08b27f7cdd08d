// Headings of what runs gave, wherever they are a table: what `neph export` writes, and what is read to
// predict from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace neph::column {

// Of an exported table, whose row is a cell: factors stand between the first two, results from the second to
// the last.
inline constexpr std::string_view cell = "cell";
inline constexpr std::string_view verdict = "verdict";
inline constexpr std::string_view runs_ok = "runs_ok";
inline constexpr std::string_view runs_failed = "runs_failed";
inline constexpr std::string_view repro = "repro";

/// Of the headings of a table those that an exported one has beside the factors: results, which nobody knows
/// of a cell before it is run. Empty: it is no such table. Columns that were added before or behind are none.
std::vector<std::string> results_in_export(const std::vector<std::string>& headings);

/// Of a phase's duration: "phase_warmup_s".
inline std::string of_phase(std::string_view name) { return fmt::format("phase_{}_s", name); }
/// Of a percentile of the latency, and of a stage: "latency_p99_ms", "stage_decode_ms".
inline std::string of_latency(std::string_view name) { return fmt::format("latency_{}_ms", name); }
inline std::string of_stage(std::string_view name) { return fmt::format("stage_{}_ms", name); }
/// Of a telemetry quantity: "machine.cpu_user".
inline std::string of_series(std::string_view target, std::string_view name) {
  return fmt::format("{}.{}", target, name);
}

}  // namespace neph::column
