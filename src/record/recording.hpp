// Telemetry of a machine as somebody recorded it over time: what a file of dstat or dool tells, and what neph
// writes into such a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/run.hpp"

namespace neph {

/// What one program recorded in one go. A file has several where it was appended to.
struct Recording {
  std::string source;   ///< the file; empty: none
  std::string program;  ///< "Dstat 0.8.0", "dool 1.3.8"; empty: not told
  std::string host;
  std::string command;
  /// Second 0 of the series, counted as Unix time by the writer's own clock in `zone`; empty: not told.
  std::optional<std::int64_t> begin_s;
  std::string zone;  ///< "UTC", "CET"; empty: not told
  std::int64_t rows = 0;
  double interval_s = 1;           ///< from row to row: the median
  bool is_interval_told = true;    ///< by times in the rows, or the command; else 1 s is assumed
  double length_s = 0;             ///< from the first row to the last
  std::int64_t gaps = 0;           ///< stretches of more than three intervals without a row
  double gaps_s = 0;               ///< all of them together
  std::vector<Series> series;      ///< of target machine; CPU in percent of all processors
  std::vector<std::string> notes;  ///< what was left out
};

}  // namespace neph
