// One metric of one configuration, from its runs to a row of the comparison. Inside the module.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/matching.hpp"
#include "record/comparison.hpp"
#include "stats/stats.hpp"

namespace neph::compare {

/// A row before it is known how many others there are.
struct DraftRow {
  ComparedMetric row;
  stats::Difference difference;
};

/// Over its runs, or what the source says that they come to. Empty: it has no such metric.
std::optional<Estimate> mean_of(const Configuration& configuration, const std::string& metric);

/// What people ask for by name, or as an objective ("speed", "p99"), where both have it and one direction of
/// it is the good one.
std::optional<std::string> metric_named(const std::string& asked, const Configuration& baseline,
                                        const Configuration& candidate);
/// Of a metric that metric_named() has found.
bool is_higher_better(const std::string& metric);
/// What is said where no match has it: invalid_argument, with those that both sides of one have. `where`:
/// "on both sides".
tl::unexpected<Error> no_metric(const std::string& asked, std::span<const Match> matches,
                                std::string_view where);

/// `asked`: an objective or a name; `are_together`: runs of one block were measured side by side. A side
/// without such a number (its runs failed) leaves the row undecided. Empty: neither side has it.
std::optional<DraftRow> draft_row(const Match& match, const std::string& asked, bool are_together);

/// Fills in what depends on all rows: p values, outcomes, and what would decide.
std::vector<ComparedMetric> judged(std::vector<DraftRow> drafts, double threshold);

/// Of a row of pairs: without those behind the first `pairs`; the level is that of its test of no difference.
void keep_first(std::size_t pairs, double level, ComparedMetric& row);

}  // namespace neph::compare
