// The tables of an advice, the same for the page and the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/advice.hpp"
#include "report/validation_tables.hpp"

namespace neph::report {

std::string money_text(const Amount& amount);
/// What a job costs; where the recommended one costs less than a cent, what 1,000 do, as the heading says.
std::string cost_text(const Advice& advice, const Amount& amount);
std::string cost_heading(const Advice& advice);
/// "–": not known. `draws` are behind it; 0: it was computed without.
std::string chance_text(const std::optional<double>& share, std::int64_t draws);
/// Whether the fastest was looked for, and not the cheapest.
bool is_for_speed(const Advice& advice);

/// The recommended one, those on the front, then others by cost, `limit` in all; places among the candidates.
std::vector<std::size_t> shown_candidates(const Advice& advice, std::size_t limit);
/// Those, in the order of their costs.
PlainTable candidates_table(const Advice& advice, std::size_t limit);

/// Why the others are not recommended: a sentence for each reason, with the nearest of them.
std::vector<std::string> why_not_sentences(const Advice& advice, std::size_t examples);

PlainTable next_runs_table(const Advice& advice);
/// Machines without a measurement that may be better.
PlainTable to_measure_table(const Advice& advice);
PlainTable advised_bill_table(const Advice& advice);

}  // namespace neph::report
