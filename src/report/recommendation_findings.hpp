// In words: which configuration to use, how sure that is, and what would make it surer.
#pragma once

#include <string>
#include <vector>

#include "report/recommendation.hpp"

namespace neph::report {

/// The headline and what it rests on. `candidates`: those with a result, the fastest first.
std::vector<std::string> recommendation_findings(const Document& document, const Cells& candidates);

/// "95 % CI 44.1 to 45.2, 5 runs", "… within 1 run", "1 run: too few for an interval".
std::string ci_and_runs_text(const Document& document, const CellSummary& cell);

/// "The fastest of 4 configurations is batch 8: …" where that is shown of all others; else that its mean is
/// the best. `cells`: the best mean first.
std::string best_sentence(const Document& document, const Cells& cells, const std::string& figures);

/// Its runs are doubtful, or its throughput has no interval, or one that says nothing: no ground for a
/// "should".
bool is_rough(const Document& document, const CellSummary& cell);

/// "; with 4 in flight instead of 2": where `other` has another number than `one`, which alone makes a
/// request wait longer. Empty: as many, or not known.
std::string in_flight_words(const Document& document, const CellSummary& one, const CellSummary& other);

/// How `chosen` stands to the one with the highest mean; empty: it is that.
std::string highest_mean_sentence(const Document& document, const Choice& choice, const CellSummary& chosen);

/// The headline where none of `candidates` is shown to keep to the latency limit; empty: some are, or there
/// is no limit.
std::string outside_limit_sentence(const Document& document, const Cells& candidates);

/// The headline where no difference was shown, with the command that would show one; empty: some was.
std::string nothing_shown_sentence(const Document& document, const Choice& choice);

/// How `chosen` keeps to the latency limit, and which faster ones do not; empty without a limit, or where
/// none keeps to it.
std::vector<std::string> limit_findings(const Document& document, const Cells& candidates,
                                        const CellSummary& chosen);

}  // namespace neph::report
