// In words: which configuration to use, how sure that is, and what would make it surer.
#pragma once

#include <string>
#include <vector>

#include "report/recommendation.hpp"

namespace neph::report {

/// The headline and what it rests on. `candidates`: the fastest first; `all`: how many configurations there
/// are, those without a result too.
std::vector<std::string> recommendation_findings(const Document& document, const Cells& candidates,
                                                 std::size_t all);

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
