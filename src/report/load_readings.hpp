// What the report shows of `neph load`: how hard a server was asked, what it answered, what was promised.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

struct Asked {
  const CellSummary* cell = nullptr;
  bool closed = false;       ///< clients that wait for each reply, instead of a schedule
  bool all_at_once = false;  ///< a schedule without a rate: every request at its first moment
  double level = 0;          ///< requests per second of the schedule, or clients
};

/// The settings that have a load: those of open loops by rate, then those of closed loops by clients.
std::vector<Asked> asked(const Document& document);

struct Limit {
  double percentile = 99;
  double ms = 0;
};
/// What was promised of the response time; empty: nothing.
std::optional<Limit> promised(const CellSummary& cell, const Experiment& experiment);

/// Answered requests per second.
Estimate answered_per_s(const CellSummary& cell);

/// Requests by whether they were answered, means over the runs. Empty: not a load.
struct Outcomes {
  double answered = 0;
  double not_answered = 0;
  double share_lost() const { return not_answered / (answered + not_answered); }
};
std::optional<Outcomes> outcomes(const CellSummary& cell);
/// Requests that were not answered: "12 (0.4 %)"; "–" where it is not a load.
std::string errors_text(const CellSummary& cell);

}  // namespace neph::report
