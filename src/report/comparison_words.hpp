// What a comparison says, in words: the same for terminal, page, Markdown and test reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/comparison.hpp"
#include "report/validation_tables.hpp"

namespace neph::report {

/// A number of the metric as a table has it, whose heading names what it is: "44.7", "1.50 GiB", "12.3 ms".
std::string value_text(const std::string& metric, double value);
/// The same where no heading names it: "44.7 images/s", "12.3 ms".
std::string quantity_text(const std::string& metric, double value);
/// A ratio less 1: "-4.1 %"; "–": not known.
std::string change_text(double ratio);
/// The ratio with the interval that has decided: of what is equivalent the 90 % one.
const Estimate& deciding(const ComparedMetric& row);
/// "-5.3 to -2.9 %", of what is equivalent "-0.9 to +1.2 % (90 %)"; "–": there is none.
std::string interval_text(const ComparedMetric& row);

/// What a higher and a lower value are called: "faster" and "slower", "longer" and "shorter".
struct Direction {
  std::string_view higher, lower;
};
Direction direction_of(const std::string& metric, bool higher_is_better);
/// "slower", by what the metric is and where its ratio lies.
std::string_view direction_of(const ComparedMetric& row);
/// "4.1 %", without its direction.
std::string size_in_words(const ComparedMetric& row);
/// "4.1 % slower".
std::string change_in_words(const ComparedMetric& row);
/// " (95 % CI 2.9 to 5.3 %)" of what is slower, " (95 % CI 1.2 % faster to 2.8 % slower)" where the interval
/// holds no difference; nothing where there is none.
std::string interval_in_words(const ComparedMetric& row);
/// What the ratio rests on: "12 pairs", "12 and 10 runs"; "–": the source does not say.
std::string runs_in_words(const ComparedMetric& row);
/// "3 %"
std::string threshold_text(const Comparison& comparison);

/// The gravest first: worse, undecided, better, equivalent; of one kind the largest change first.
std::vector<const ComparedMetric*> gravest_first(const Comparison& comparison);
bool has_several_metrics(const Comparison& comparison);
bool has_several_configurations(const Comparison& comparison);
/// What tells it from the others: "batch 8", "p99 response time", or both.
std::string name_of(const ComparedMetric& row, const Comparison& comparison);

/// Why rows that are undecided are so, and what would decide: "a difference below 6.2 % could have been
/// missed; about 14 more pairs would tell". Of several the most that is needed. Empty: nothing is known.
std::string what_would_tell(const std::vector<const ComparedMetric*>& rows, const Comparison& comparison);

/// Columns of numbers, which the verdict follows.
inline constexpr std::size_t compared_numbers = 4;
/// Of these rows, in this order.
PlainTable compared_table(const Comparison& comparison, const std::vector<const ComparedMetric*>& rows);
/// In what else the sides differ, the refusal left out that the headline says: a line each, without full
/// stops.
std::vector<std::string> confounds_in_words(const Comparison& comparison);
/// What was left out, how many pairs there were, and the noise of the machine, likewise.
std::vector<std::string> notes_in_words(const Comparison& comparison);
/// Both.
std::vector<std::string> remarks_on(const Comparison& comparison);

}  // namespace neph::report
