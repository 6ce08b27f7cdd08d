#include "compare/confounds.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "core/text.hpp"
#include "record/warnings.hpp"

namespace neph::compare {
namespace {

/// What sides may differ in: facts of their configurations, by name. Others only say how a number came about.
struct Kind {
  std::string_view what;
  bool refuses;
  std::string_view remedy;
};
constexpr std::array kinds{
    Kind{"machine", true, "measure both on one machine: neph ab"},
    Kind{"workload", true, "compare what does the same"},
    Kind{"device", true, "measure both on one device"},
    Kind{"model", true, "measure the same file"},
    Kind{"network", true, "measure the same file"},
    Kind{"precision", true, "say --precision for both"},
    Kind{"answers", true, "find out which is right before you ask which is faster"},
    Kind{"build", true, "build both the same way"},
    Kind{"outputs", false, "look whether both are right before you ask which is faster"},
    Kind{"question", false, "compare what was asked the same"},
    Kind{"engine", false, "the change may be the engine's"},
    Kind{"kernel", false, "the change may be that of the engine's choice"},
    Kind{"threads", false, "the change may be that of the threads"},
};

/// Each value once, in the order of the configurations.
std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) ==
        values.begin() + static_cast<std::ptrdiff_t>(i))
      text += (text.empty() ? "" : ", ") + values[i];
  return text;
}

bool both_know(const Match& match, const std::string& fact) {
  return match.baseline->facts.contains(fact) && match.candidate->facts.contains(fact);
}

/// Answers of which two are as good as alike may differ with the order of additions.
bool is_close(const Match& match, const std::string& what) {
  return what == "answers" && (match.baseline->facts.contains("close_answers") ||
                               match.candidate->facts.contains("close_answers"));
}

/// Where both know the fact, and not the same of it. A network's name says nothing beside its contents.
void add_differences(const Kind& kind, std::span<const Match> matches, bool is_accepted,
                     std::vector<Confound>& all) {
  std::vector<std::string> from, to;
  bool weighs = false;
  for (const auto& match : matches) {
    const std::string what(kind.what);
    if (!both_know(match, what) || (what == "network" && both_know(match, "model"))) continue;
    const auto &one = match.baseline->facts.at(what), &other = match.candidate->facts.at(what);
    if (one == other) continue;
    weighs |= !is_close(match, what);
    from.push_back(one);
    to.push_back(other);
  }
  if (from.empty()) return;
  const bool refuses = kind.refuses && !is_accepted && weighs;
  all.push_back({.what = std::string(kind.what),
                 .message = fmt::format("{}: {} → {}", kind.what, joined(from), joined(to)),
                 .remedy = refuses ? fmt::format("{}, or accept it: --accept {}", kind.remedy, kind.what)
                           : is_accepted ? "accepted"
                                         : std::string(kind.remedy),
                 .refuses = refuses});
}

constexpr std::string_view failures = "failures";
constexpr std::size_t widest = 400;  ///< columns of a message

/// Of work that was not done there is no speed, also where both sides failed alike.
void add_failures(std::span<const Match> matches, bool is_accepted, std::vector<Confound>& all) {
  std::vector<std::string> seen;
  for (const auto& [side, configuration] :
       {std::pair("baseline", &Match::baseline), std::pair("candidate", &Match::candidate)})
    for (const auto& match : matches)
      for (const auto& failure : (match.*configuration)->failures)
        seen.push_back(fmt::format("{}: {}: {}", side, (match.*configuration)->label, failure));
  if (seen.empty()) return;
  all.push_back({.what = std::string(failures),
                 .message = cut_to_width(fmt::format("{}: {}", failures, fmt::join(seen, "; ")), widest),
                 .remedy = is_accepted ? "accepted"
                                       : "mend what fails and measure again, or accept it: --accept failures",
                 .refuses = !is_accepted});
}

/// What an interval shows by itself.
bool is_in_the_interval(std::string_view code) { return code == "wide_interval" || code == "few_repeats"; }

/// Empty: the doubt is none of neph's, and says itself what to do.
std::string remedy_of(const std::string& code, bool are_together) {
  const auto known = enum_value<WarningCode>(code).value_or(WarningCode::unknown);
  if (known == WarningCode::unknown) return {};
  if (are_together) return "it moves both sides of a pair, and widens the interval";
  const auto advice = kind_of(known).advice;
  return advice.empty() ? "measure again when the machine is idle, or in pairs: neph ab"
                        : std::string(advice);
}

/// Once for each kind of doubt, with the sides that have it and the first that says so. A doubt begins with
/// its code where it has one: "busy_machine: other processes used 1.2 of 2 cores".
void add_doubts(std::span<const Match> matches, bool are_together, std::vector<Confound>& all) {
  struct Seen {
    std::string first;
    bool of_baseline = false, of_candidate = false;
  };
  std::map<std::string, Seen> by_code;
  for (const auto& match : matches)
    for (const auto* side : {match.baseline, match.candidate})
      for (const auto& doubt : side->doubts) {
        const auto code = doubt.substr(0, doubt.find(':'));
        auto& seen = by_code.try_emplace(code, Seen{.first = doubt}).first->second;
        (side == match.baseline ? seen.of_baseline : seen.of_candidate) = true;
      }
  for (const auto& [code, seen] : by_code)
    if (!is_in_the_interval(code))
      all.push_back({.what = code,
                     .message = fmt::format("{}: {}",
                                            seen.of_baseline && seen.of_candidate ? "both sides"
                                            : seen.of_baseline                    ? "baseline"
                                                                                  : "candidate",
                                            seen.first),
                     .remedy = remedy_of(code, are_together)});
}

}  // namespace

std::vector<std::string> confound_names() {
  std::vector<std::string> names;
  for (const auto& kind : kinds)
    if (kind.refuses) names.emplace_back(kind.what);
  names.emplace_back(failures);
  return names;
}

std::vector<Confound> confounds_of(std::span<const Match> matches, const std::vector<std::string>& accepted,
                                   bool are_together) {
  std::vector<Confound> all;
  add_failures(matches, std::ranges::find(accepted, failures) != accepted.end(), all);
  for (const auto& kind : kinds)
    if (kind.what != "question" || !are_together)  // the sides of a pair are what is asked about
      add_differences(kind, matches, std::ranges::find(accepted, kind.what) != accepted.end(), all);
  add_doubts(matches, are_together, all);
  std::ranges::stable_partition(all, &Confound::refuses);
  return all;
}

}  // namespace neph::compare
