// What the report shows of `neph load`: how hard a server was asked, what it answered, its SLO.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

struct Asked {
  const CellSummary* cell = nullptr;
  bool closed = false;       ///< clients that wait for each reply, instead of a schedule
  bool all_at_once = false;  ///< a schedule without a rate: every request at its first moment
  double level = 0;          ///< clients, or requests per second that were offered: as the arrivals fell
};

/// The configurations that have a load: those of open loops by rate, then those of closed loops by clients.
std::vector<Asked> asked(const Document& document);

/// Configurations that differ only in how hard the server was asked, which rises.
struct LoadGroup {
  bool closed = false;
  std::string name;  ///< the other factors; "all" where nothing else varies
  std::vector<Asked> members;

  std::string axis() const;     ///< its title
  std::string caption() const;  ///< what is special about it; empty: nothing
  /// As an axis names them.
  std::set<double> levels() const;
};

/// `apart`: the factors that do not part them.
std::vector<LoadGroup> grouped(const std::vector<Asked>& all, const Experiment& experiment,
                               const std::vector<std::string_view>& apart);
/// For charts: those with at least two levels, at most `most`, open loops first.
std::vector<LoadGroup> load_groups(const Document& document, std::size_t most);

struct Limit {
  double percentile = 99;
  double ms = 0;
};
/// Requests were held back because as many as the user allows were under way: what was measured is that
/// limit.
bool was_held_back(const CellSummary& cell);

/// The objective of the response time; empty: there is none.
std::optional<Limit> slo_of(const CellSummary& cell, const Experiment& experiment);

/// Answered requests per second.
Estimate answered_per_s(const CellSummary& cell);

/// Whether a server answered what was offered in the time. untold: fewer are missing than may be in flight at
/// the end of a run, or too few were sent.
enum class Pace { kept_up, untold, fell_behind };
/// Of an open loop whose numbers are valid.
Pace pace(const Asked& one);
/// Offered requests, and as many as were answered in the time of their sending, over all runs.
struct InTime {
  double offered = 0, answered = 0;
};
InTime in_time(const Asked& one);
/// Fewer requests than this show no pace: one that is missing is more than a server may leave out.
inline constexpr double fewest_for_pace = 50;

/// Whether the SLO is met at the offered rate, by the requests that were late of all runs and by the interval
/// of the late share, which must agree. Empty: there is none.
std::optional<Probe> slo_at(const Asked& one, const Experiment& experiment);

/// What a search found at each rate, as fields of a table under such headings, the configuration's label
/// first.
inline constexpr std::array probe_headings{"configuration", "requests/s",        "SLO",
                                           "late of all",   "response time, ms", "undecided because"};
std::vector<std::vector<std::string>> probe_rows(const std::vector<CellSummary>& cells);

/// Numbers that tell of the load generator say nothing of the server, good or bad.
bool tells_of_generator(const CellSummary& cell);

/// Requests by whether they were answered, means over the runs. Empty: not a load.
struct Outcomes {
  double answered = 0;
  double not_answered = 0;
  double all() const { return answered + not_answered; }
  double share_lost() const { return not_answered / all(); }
};
std::optional<Outcomes> outcomes(const CellSummary& cell);
/// Requests that were not answered: "12 (0.4 %)"; "–" where it is not a load.
std::string errors_text(const CellSummary& cell);

}  // namespace neph::report
