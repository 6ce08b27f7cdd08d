// Results in the words of two tools that people know: perf_analyzer's CSV and LoadGen's summary. Pure
// functions of what the repeats of each cell say together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "load/findings.hpp"
#include "record/experiment.hpp"

namespace neph::load {

/// MLPerf Inference's scenarios. none: no preset.
enum class Scenario { none, single_stream, multi_stream, server, offline };
constexpr auto enum_names(Scenario) {
  return std::array{Named{Scenario::none, "none"}, Named{Scenario::single_stream, "single-stream"},
                    Named{Scenario::multi_stream, "multi-stream"}, Named{Scenario::server, "server"},
                    Named{Scenario::offline, "offline"}};
}

/// A cell with what its description says of the load.
struct Tested {
  const CellSummary* cell = nullptr;
  std::string server;
  Scenario scenario = Scenario::none;
  bool closed = false;
  double level = 0;         ///< clients of a closed loop, or requests per second as they were offered
  double target_per_s = 0;  ///< asked for; 0: none
  std::int64_t batch = 1;
  std::int64_t count = 0;
  double duration_s = 0;  ///< asked for; 0: as long as it takes
  Promise promise;
};

/// As `perf_analyzer -f FILE` writes it: a row per level, from the lowest throughput to the highest, average
/// times and percentiles in microseconds. Latency counts from the schedule, as everywhere in neph; in a
/// closed loop that is the sending. What a server does not say of itself is 0. Errors: invalid_argument
/// (closed and open loops in one table, no cell with results).
Result<std::string> perf_analyzer_csv(std::vector<Tested> tested);

/// As LoadGen's mlperf_log_summary.txt, one after the other. A run is VALID if its verdict is not invalid,
/// the promise is kept (Server), it lasted as long and had as many queries as asked for, and the early
/// stopping test passes with 99 % confidence; one whose numbers are invalid has a line that says why. Not a
/// result of MLPerf. Errors: invalid_argument (no scenario).
Result<std::string> mlperf_summary(const std::vector<Tested>& tested);

}  // namespace neph::load
