#include "report/recommendation_findings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/percentile.hpp"
#include "core/seconds.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/scaling.hpp"
#include "report/way.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

constexpr double meaningless_spread = 4;    // high / low of a ratio: its ends say nothing but "unknown"
constexpr double small_difference = 1.05;   // a ratio within this and its inverse: hardly worth a choice
constexpr std::int64_t most_repeats = 300;  // more than anybody runs for one answer
constexpr std::int64_t usual_repeats = 5;   // where nothing is known of the spread

/// "44.7 images/s (95 % CI 44.1 to 45.2, 5 runs)"
std::string measured_text(const Document& document, const CellSummary& cell) {
  return fmt::format("{} ({})", speed_text(document, cell), ci_and_runs_text(document, cell));
}

/// ", median latency 68.0 ms (65.1 to 70.9)"; empty where there were too few batches.
std::string median_text(const CellSummary& cell) {
  const auto* median = find_shown(cell.latency_ms, statistic::p50);
  if (!median) return {};
  return fmt::format(", median latency {} ms ({} to {})", format_number(median->value),
                     format_number(*median->low), format_number(*median->high));
}

/// "1.15 times, 95 % CI 0.98 to 1.35"
std::string times_text(const Estimate& ratio) {
  if (!ratio.low || !ratio.high) return "no interval";
  if (*ratio.high > meaningless_spread * *ratio.low) return "inconclusive";
  return fmt::format("{} times, {}", ratio_text(ratio.value), ratio_ci_text(ratio));
}

std::string limit_text(const Document& document) {
  return fmt::format("{} latency within {}", limited_percentile,
                     format_seconds(document.experiment.latency_limit_s));
}

/// "80.2 ms (95 % CI 75.0 to 86.1)"
std::string percentile_text(const CellSummary& cell) {
  const auto* seen = find_shown(cell.latency_ms, limited_percentile);
  if (!seen) return shown_text(cell.latency_ms, limited_percentile);
  return fmt::format("{} ms ({})", format_number(seen->value), ci_text(*seen));
}

/// With the option's value replaced, or put at the end; without a value it is taken out.
std::string with_option(std::string command, std::string_view name, const std::string& value) {
  const auto option = value.empty() ? "" : fmt::format(" {} {}", name, value);
  const auto begin = fmt::format(" {} ", name);
  const auto at = command.rfind(begin);  // the last: what stands before are the workload's fields
  if (at == std::string::npos) return command + option;
  const auto end = std::min(command.find(' ', at + begin.size()), command.size());
  return command.replace(at, end - at, option);
}

/// The experiment's command with so many repeats, to go on from what there is: as it was last asked, which
/// need not be as it was begun.
std::string command_with(std::int64_t repeats, const Experiment& experiment) {
  const auto limit = experiment.latency_limit_s;
  auto command = with_option(experiment.command, "--repeat", std::to_string(repeats));
  command = with_option(std::move(command), "--latency-limit", limit > 0 ? seconds_text({limit}) : "");
  return std::string(trimmed(command)) + " --resume";
}

/// Not what was asked for: an earlier command may have asked for more, and one that was stopped has fewer.
std::int64_t begun_repeats(const Document& document) {
  std::int64_t begun = 0;
  for (const auto& run : document.runs) begun = std::max(begun, run.repeat + 1);
  return begun;
}

/// What would show the difference between `which` ("batch 8 and batch 1"), were it as large as seen. The end
/// of a sentence; without a full stop where it is a command, which people copy.
std::string repeats_text(const Document& document, const Estimate& ratio, const std::string& which) {
  const auto& experiment = document.experiment;
  const auto begun = begun_repeats(document);
  if (!ratio.low || !ratio.high)
    return "intervals need more runs: " + command_with(std::max(usual_repeats, begun + 1), experiment);
  if (const auto pairs = stats::pairs_to_show(ratio, most_repeats)) {
    // Failed runs are not repeated: the pairs that are needed come on top of the repeats without one.
    const auto repeats = std::max(*pairs + begun - ratio.n, begun + 1);
    return fmt::format(
        "about {} repeats would show whether {} differ ({:.0f} % power if the difference is as large as "
        "seen): {}",
        repeats, which, 100 * stats::kPower, command_with(repeats, experiment));
  }
  if (*ratio.low > 1 / small_difference && *ratio.high < small_difference)
    return fmt::format("any difference between {} is below {:.0f} %.", which, 100 * (small_difference - 1));
  return fmt::format("more than {} repeats would be needed to show whether {} differ.", most_repeats, which);
}

/// "batch 8 and batch 1"
std::string both(const CellSummary& one, const CellSummary& other) {
  return fmt::format("{} and {}", one.cell.label, other.cell.label);
}

/// Of those that are as fast, the one that the fewest repeats would tell from the fastest; else the next.
const CellSummary& easiest_to_tell(const Document& document, const Choice& choice) {
  const auto* easiest = choice.as_fast[1];
  auto fewest = most_repeats + 1;
  for (const auto* cell : choice.as_fast) {
    const auto repeats = stats::pairs_to_show(speed_ratio(document, *cell, choice.fastest()), most_repeats);
    if (!repeats || *repeats >= fewest) continue;
    fewest = *repeats;
    easiest = cell;
  }
  return *easiest;
}

bool is_limited(const Document& document, const Cells& candidates) {
  return document.experiment.latency_limit_s > 0 &&
         within_limit(document, candidates).size() == candidates.size();
}

/// There is a limit that nothing is shown to keep to.
bool is_outside(const Document& document, const Choice& choice) {
  return document.experiment.latency_limit_s > 0 && !is_limited(document, choice.candidates);
}

/// "4 configurations", "2 configurations with p95 latency within 100 ms"
std::string group_text(const Document& document, const Cells& candidates, std::size_t all) {
  if (!is_limited(document, candidates)) return counted(static_cast<std::int64_t>(all), "configuration");
  return fmt::format("{} with {}", counted(std::ssize(candidates), "configuration"), limit_text(document));
}

/// Of a configuration that no other is compared with: others have failed or are invalid, or are no way to run
/// it.
std::string only_one(const Document& document, const CellSummary& chosen, const std::string& figures) {
  const auto& cells = document.cells;
  const bool is_last = std::any_of(cells.begin(), cells.end(), [](const CellSummary& cell) {
    return cell.verdict == Verdict::invalid || cell.runs_ok == 0;
  });
  if (!is_last || cells.size() == 1) return fmt::format("The measured speed is {}.", figures);
  return fmt::format("Of {} configurations the only one with usable numbers is {}: {}.", cells.size(),
                     chosen.cell.label, figures);
}

std::string headline(const Document& document, const Choice& choice, std::size_t all) {
  const auto& chosen = choice.recommended();
  const auto figures = measured_text(document, chosen) + median_text(chosen);
  if (choice.tells_nothing()) return fmt::format("{} has the highest mean: {}.", chosen.cell.label, figures);
  if (choice.as_fast.size() > 1)
    return fmt::format("{} {}: {}.",
                       is_outside(document, choice) ? "Without the limit, use"
                       : is_rough(document, chosen) ? "As far as these runs tell, use"
                                                    : "Use",
                       chosen.cell.label, figures);
  if (all == 1) return only_one(document, chosen, figures);
  if (choice.candidates.size() == 1)
    return fmt::format("The only configuration with {} is {}: {}.", limit_text(document), chosen.cell.label,
                       figures);
  return fmt::format("The fastest of {} is {}: {}.", group_text(document, choice.candidates, all),
                     chosen.cell.label, figures);
}

/// How the recommended one stands to the one that would have been taken next, or by its mean alone.
std::string compared_sentence(const Document& document, const Choice& choice) {
  if (choice.candidates.size() == 1 || choice.tells_nothing()) return {};
  const auto& chosen = choice.recommended();
  if (choice.as_fast.size() == 1) {
    const auto& next = *choice.candidates[1];
    const auto lead = speed_ratio(document, next, chosen);
    const bool is_shown_alone = lead.low && *lead.low > 1;
    return fmt::format("Next is {}: repeat by repeat, the fastest is {} times as fast ({}{}).",
                       next.cell.label, ratio_text(lead.value),
                       lead.low && lead.high ? ratio_ci_text(lead) : "no interval",
                       is_shown_alone ? "" : "; shown with the others that differ from it so");
  }
  const bool is_fastest = &chosen == &choice.fastest();
  const auto& other = is_fastest ? *choice.as_fast[1] : choice.fastest();
  const auto speed = speed_ratio(document, chosen, other), latency = latency_ratio(document, chosen, other);
  const auto who =
      is_fastest ? "Next is " + other.cell.label
                 : fmt::format("{} has the highest mean, {}", other.cell.label, speed_text(document, other));
  auto text = fmt::format("{}: no significant difference in throughput ({})", who, times_text(speed));
  if (latency.low && *latency.low > 1)
    text += fmt::format(", but {} times the latency ({}{})", ratio_text(latency.value),
                        ratio_ci_text(latency), in_flight_words(document, chosen, other));
  return fmt::format("{}; {}", text, repeats_text(document, speed, both(other, chosen)));
}

}  // namespace

std::string ci_and_runs_text(const Document& document, const CellSummary& cell) {
  const auto speed = speed_of(document, cell);
  const auto n = cell.runs_ok == 1 ? 1 : speed.n;
  if (!speed.low || !speed.high) return counted(n, "run") + ": too few for an interval";
  return fmt::format("{}, {}{}", ci_text(speed), n == 1 ? "within " : "", counted(n, "run"));
}

std::string best_sentence(const Document& document, const Cells& cells, const std::string& figures) {
  const auto& best = *cells.front();
  const auto all = counted(std::ssize(cells), "configuration");
  const auto rival = std::find_if(cells.begin() + 1, cells.end(), [&](const auto* cell) {
    const auto ratio = times_as_fast(document, *cell, best);
    return !(ratio.low && *ratio.low > 1) && !is_faster_over_all(document, *cell, best);
  });
  if (rival == cells.end()) return fmt::format("The fastest of {} is {}: {}.", all, best.cell.label, figures);
  return fmt::format("Of {}, {} has the best mean: {}. It is not shown to be faster than {} ({}).", all,
                     best.cell.label, figures, (*rival)->cell.label,
                     times_text(times_as_fast(document, **rival, best)));
}

bool is_rough(const Document& document, const CellSummary& cell) {
  const auto speed = speed_of(document, cell);
  return cell.verdict == Verdict::doubtful || !speed.low || !speed.high || !(*speed.low > 0) ||
         *speed.high > meaningless_spread * *speed.low;
}

std::string in_flight_words(const Document& document, const CellSummary& one, const CellSummary& other) {
  const auto mine = in_flight(one, document.experiment), others = in_flight(other, document.experiment);
  if (!mine || !others || *mine == *others) return {};
  return fmt::format("; with {} in flight instead of {}", plain(*others), plain(*mine));
}

std::string highest_mean_sentence(const Document& document, const Choice& choice, const CellSummary& chosen) {
  const auto& fastest = choice.fastest();
  if (&fastest == &chosen) return {};
  const auto speed = speed_ratio(document, chosen, fastest);
  const auto latency = latency_ratio(document, chosen, fastest);
  auto text = fmt::format(
      "{} has the highest mean, {}: {} ({})", fastest.cell.label, speed_text(document, fastest),
      speed.low && *speed.low > 1 ? "faster" : "no significant difference in throughput", times_text(speed));
  if (latency.low && *latency.low > 1)
    text += fmt::format(", but {} times the latency ({}{})", ratio_text(latency.value),
                        ratio_ci_text(latency), in_flight_words(document, chosen, fastest));
  return text + ".";
}

std::string outside_limit_sentence(const Document& document, const Cells& candidates) {
  if (!(document.experiment.latency_limit_s > 0) || !within_limit(document, candidates).empty()) return {};
  const auto all = counted(std::ssize(candidates), "configuration");
  const auto none = fmt::format("None of {} is shown to keep its {}", all, limit_text(document));
  const auto* nearest = nearest_to_limit(candidates);
  if (!nearest)
    return fmt::format("{}: {} takes {} {} of a configuration (--count, --repeat).", none, limited_percentile,
                       stats::samples_needed(*percentile_of(limited_percentile)), view_of(document).samples);
  const bool is_open =
      *find_shown(nearest->latency_ms, limited_percentile)->low <= 1e3 * document.experiment.latency_limit_s;
  return fmt::format("{}; the nearest is {}: {}{}.", none, nearest->cell.label, percentile_text(*nearest),
                     is_open ? ", inconclusive" : "");
}

std::string nothing_shown_sentence(const Document& document, const Choice& choice) {
  if (!choice.tells_nothing()) return {};
  const auto& fastest = choice.fastest();
  const auto& other = easiest_to_tell(document, choice);
  const auto group = group_text(document, choice.candidates, choice.candidates.size());
  const auto ratio = speed_ratio(document, other, fastest);
  const auto none = !ratio.low
                        ? fmt::format("With one run each, no difference between {} can be shown", group)
                    : choice.candidates.size() == 2
                        ? "No significant difference in throughput or latency between " + group
                        : fmt::format("Of {}, none is shown to differ from {} in throughput or latency",
                                      group, fastest.cell.label);
  return fmt::format("{}; {}", none, repeats_text(document, ratio, both(fastest, other)));
}

std::vector<std::string> limit_findings(const Document& document, const Cells& candidates,
                                        const CellSummary& chosen) {
  const auto within = within_limit(document, candidates);
  if (!(document.experiment.latency_limit_s > 0) || within.empty()) return {};
  std::vector<std::string> sentences{
      fmt::format("{} keeps its {}: {}.", chosen.cell.label, limit_text(document), percentile_text(chosen))};
  const auto left_out = std::find_if(candidates.begin(), candidates.end(), [&](const auto* cell) {
    return std::find(within.begin(), within.end(), cell) == within.end();
  });
  if (left_out != candidates.end() && speed_of(document, **left_out).value > speed_of(document, chosen).value)
    sentences.push_back(fmt::format("The limit leaves out {}: {}, {} {}.", (*left_out)->cell.label,
                                    speed_text(document, **left_out), limited_percentile,
                                    percentile_text(**left_out)));
  return sentences;
}

std::vector<std::string> recommendation_findings(const Document& document, const Cells& candidates) {
  const auto within = within_limit(document, candidates);
  const auto choice = choose(document, within.empty() ? candidates : within);
  auto sentences =
      std::vector{outside_limit_sentence(document, candidates), nothing_shown_sentence(document, choice),
                  headline(document, choice, candidates.size()), compared_sentence(document, choice)};
  for (auto& sentence : limit_findings(document, candidates, choice.recommended()))
    sentences.push_back(std::move(sentence));
  std::erase(sentences, "");
  return sentences;
}

}  // namespace neph::report
