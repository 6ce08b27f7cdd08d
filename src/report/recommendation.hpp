// Which configuration to use: as fast as any that was measured, then with the lowest latency, each only as
// far as the repeats show a difference; where there is a latency limit, of those that are shown to keep to
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/metrics.hpp"
#include "report/report.hpp"

namespace neph::report {

using Cells = std::vector<const CellSummary*>;

/// What a latency limit is about. p99 takes 299 batches, which few experiments of `infer` have; p95 takes 59.
inline constexpr std::string_view limited_percentile = statistic::p95;

struct Choice {
  Cells candidates;  ///< the fastest first
  /// Of them: not shown to be slower than the fastest, which is the first, neither alone nor together with
  /// others that differ from it in the same configurations.
  Cells as_fast;
  /// Of those: latency not shown to be above that of the recommended, which is the first; else by speed.
  Cells equals;

  const CellSummary& fastest() const { return *candidates.front(); }
  const CellSummary& recommended() const { return *equals.front(); }
  /// None is shown to differ from the fastest, in speed or in latency; two others may be shown to differ.
  bool tells_nothing() const {
    return candidates.size() > 1 && equals.size() == candidates.size() && &recommended() == &fastest();
  }
};

/// `candidates`: at least one, the fastest first. Compared repeat by repeat, latency by each run's median.
Choice choose(const Document& document, const Cells& candidates);

/// Those whose p95 is shown to be within the experiment's latency limit; all where there is none.
Cells within_limit(const Document& document, Cells candidates);
/// The one whose p95 has the lowest upper end; nullptr where no p95 is known.
const CellSummary* nearest_to_limit(const Cells& candidates);

/// candidate's median latency / baseline's, repeat by repeat.
Estimate latency_ratio(const Document& document, const CellSummary& baseline, const CellSummary& candidate);
/// Whether configurations of the candidate's way and configurations are shown to be faster than those of the
/// baseline's that are alike in all else, these two among them: what one pair cannot show, several may.
bool is_faster_over_all(const Document& document, const CellSummary& baseline, const CellSummary& candidate);
/// candidate's speed / baseline's, repeat by repeat.
Estimate speed_ratio(const Document& document, const CellSummary& baseline, const CellSummary& candidate);

}  // namespace neph::report
