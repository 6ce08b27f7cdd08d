// The answer of a comparison in one line: what is worse first, and never more than the runs have shown.
#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "record/warnings.hpp"
#include "report/comparison_words.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

using Rows = std::vector<const ComparedMetric*>;

constexpr std::size_t most_named = 3;

Rows rows_that_are(Outcome outcome, const Comparison& comparison) {
  Rows rows;
  std::ranges::copy_if(gravest_first(comparison), std::back_inserter(rows),
                       [&](const auto* row) { return row->outcome == outcome; });
  return rows;
}

/// What a row is: "configurations" where there is one metric, "metrics" where there is one configuration.
std::string_view noun_of(const Comparison& comparison) {
  if (!has_several_metrics(comparison)) return "configurations";
  return has_several_configurations(comparison) ? "results" : "metrics";
}

/// "2 of 5 configurations", "all 5 configurations", "both configurations".
std::string count_text(std::size_t count, const Comparison& comparison) {
  const auto all = comparison.rows.size();
  if (count < all) return fmt::format("{} of {} {}", count, all, noun_of(comparison));
  return all == 2 ? fmt::format("both {}", noun_of(comparison))
                  : fmt::format("all {} {}", all, noun_of(comparison));
}

/// "; 2 others undecided, 1 equivalent": how many of the other verdicts there are.
std::string others_text(Outcome told, const Comparison& comparison) {
  std::string text;
  for (const auto outcome : {Outcome::undecided, Outcome::better, Outcome::equivalent}) {
    const auto count = std::ranges::count(comparison.rows, outcome, &ComparedMetric::outcome);
    if (outcome == told || count == 0) continue;
    text += text.empty()
                ? fmt::format("; {} {} {}", count, count == 1 ? "other" : "others", enum_name(outcome))
                : fmt::format(", {} {}", count, enum_name(outcome));
  }
  return text;
}

template <class Said>
std::string named(const Rows& rows, Said said) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most_named, rows.size()); ++i)
    text += (i ? "; " : "") + said(*rows[i]);
  return rows.size() > most_named ? text + fmt::format("; {} more", rows.size() - most_named) : text;
}

/// Of one metric its direction is said once: "2 of 5 configurations are slower: batch 8 by 4.1 % (…); …".
std::string differing(const Rows& rows, const Comparison& comparison) {
  if (comparison.rows.size() == 1) return change_in_words(*rows[0]) + interval_in_words(*rows[0]);
  const auto count = count_text(rows.size(), comparison);
  if (has_several_metrics(comparison))
    return fmt::format("{}: {}", count, named(rows, [&](const auto& row) {
                         return fmt::format("{} {}{}", name_of(row, comparison), change_in_words(row),
                                            interval_in_words(row));
                       }));
  return fmt::format("{} {} {}: {}", count, rows.size() == 1 ? "is" : "are", direction_of(*rows[0]),
                     named(rows, [](const auto& row) {
                       return fmt::format("{} by {}{}", row.configuration, size_in_words(row),
                                          interval_in_words(row));
                     }));
}

std::string undecided(const Rows& rows, const Comparison& comparison) {
  const auto text = comparison.rows.size() == 1
                        ? change_in_words(*rows[0]) + interval_in_words(*rows[0])
                        : fmt::format("{} ({})", count_text(rows.size(), comparison),
                                      named(rows, [&](const auto& row) { return name_of(row, comparison); }));
  const auto tell = what_would_tell(rows, comparison);
  return tell.empty() ? text : fmt::format("{}; {}", text, tell);
}

std::string equivalent(const Rows& rows, const Comparison& comparison) {
  const auto within = "equivalent within " + threshold_text(comparison);
  if (rows.size() == 1) return within + interval_in_words(*rows[0]);
  return fmt::format("{} are {}", count_text(rows.size(), comparison), within);
}

/// Of sides that were measured apart: a disturbance met one of them, and looks like a difference.
std::string caveat(const Comparison& comparison) {
  constexpr std::array disturbing{WarningCode::busy_machine, WarningCode::stolen, WarningCode::throttled};
  const bool is_disturbed = std::ranges::any_of(comparison.confounds, [&](const auto& confound) {
    return std::ranges::find(disturbing, confound.what, [](auto code) { return enum_name(code); }) !=
           disturbing.end();
  });
  const bool are_apart = std::ranges::any_of(comparison.rows, [](const auto& row) { return !row.is_paired; });
  return is_disturbed && are_apart ? "; but the machine was busy or slowed" : "";
}

}  // namespace

std::string headline(const Comparison& comparison) {
  const auto answer = answer_of(comparison);
  if (!answer) {
    const auto& refusal = *refusal_of(comparison);
    return fmt::format("not comparable: {}{}{}", refusal.message, refusal.remedy.empty() ? "" : "; ",
                       refusal.remedy);
  }
  if (comparison.rows.empty()) return "undecided: nothing was compared";
  const auto rows = rows_that_are(*answer, comparison);
  switch (*answer) {
    case Outcome::worse:
    case Outcome::better:
      return fmt::format("{}: {}{}{}", enum_name(*answer), differing(rows, comparison),
                         others_text(*answer, comparison), caveat(comparison));
    case Outcome::undecided:
      return fmt::format("undecided: {}{}{}", undecided(rows, comparison), others_text(*answer, comparison),
                         caveat(comparison));
    case Outcome::equivalent:
      break;
  }
  return "not worse: " + equivalent(rows, comparison);
}

}  // namespace neph::report
