#include "report/advice_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.hpp"
#include "record/chance.hpp"
#include "record/money_words.hpp"

namespace neph::report {
namespace {

/// "3.1 %": the longer side of the interval; empty: there is none, or both ends are the value.
std::string spread(double value, std::optional<double> low, std::optional<double> high) {
  constexpr double least_told = 0.001;
  if (!low || !high || !(value > 0)) return {};
  const double share = std::max(*high - value, value - *low) / value;
  if (share <= 0) return {};
  return share < least_told ? "< " + format_percent(least_told, 1) : format_percent(share, 2);
}

std::string spread(const Estimate& seconds) { return spread(seconds.value, seconds.low, seconds.high); }

std::string time_text(const Estimate& seconds) {
  return std::isfinite(seconds.value) ? format_seconds(seconds.value) : "–";
}

/// Of how many jobs tables tell the cost.
double jobs_told(const Advice& advice) {
  if (advice.rate_per_s || !advice.recommended) return 1;
  const auto& chosen = advice.candidates.at(static_cast<std::size_t>(*advice.recommended));
  return is_told_of_a_thousand(std::strtod(chosen.cost.amount.c_str(), nullptr)) ? 1000 : 1;
}

double number_of(const Amount& amount) { return std::strtod(amount.amount.c_str(), nullptr); }

std::string spread_of_cost(const AdvisedCandidate& candidate) {
  const auto end = [](const std::optional<Amount>& amount) {
    return amount ? std::optional(number_of(*amount)) : std::nullopt;
  };
  return spread(number_of(candidate.cost), end(candidate.cost_low), end(candidate.cost_high));
}

std::string standing(const AdvisedCandidate& candidate) {
  std::string text(enum_name(candidate.why_not));
  return candidate.why_not != WhyNot::on_front && candidate.why_not != WhyNot::recommended &&
                 candidate.is_on_front
             ? text + ", on the front"
             : text;
}

bool has_any(const Advice& advice, std::optional<double> AdvisedCandidate::*chance) {
  return std::ranges::any_of(advice.candidates, [&](const auto& each) { return (each.*chance).has_value(); });
}

void add_row_of_rate(const AdvisedCandidate& candidate, PlainTable& table) {
  table.rows.push_back({candidate.configuration, candidate.offer, std::to_string(candidate.machines),
                        format_estimate(candidate.sustained_per_s), money_text(candidate.cost),
                        candidate.per_million ? money_text(*candidate.per_million) : "–",
                        chance_text(candidate.p_rate, 0), standing(candidate)});
}

/// Those that are not recommended, by reason, with the nearest of each.
struct WhyNotGroup {
  std::string reason;
  std::int64_t count = 0;
  std::vector<std::string> examples;
};

std::vector<WhyNotGroup> why_not_groups(const Advice& advice, std::size_t examples) {
  std::vector<WhyNotGroup> groups;
  for (const auto& entry : enum_names(WhyNot{})) {
    if (entry.value == WhyNot::recommended) continue;
    WhyNotGroup group{.reason = std::string(entry.name)};
    for (const auto& candidate : advice.candidates) {
      if (candidate.why_not != entry.value) continue;
      if (static_cast<std::size_t>(group.count++) < examples)
        group.examples.push_back(
            fmt::format("{} on {}: {}", candidate.configuration, candidate.offer, candidate.why));
    }
    if (group.count > 0) groups.push_back(std::move(group));
  }
  for (const auto& each : advice.left_out) {
    auto reason = each.what == "offer" ? fmt::format("offers, {}", each.reason) : each.reason;
    const auto same = std::ranges::find(groups, reason, &WhyNotGroup::reason);
    auto& group =
        same == groups.end() ? groups.emplace_back(WhyNotGroup{.reason = std::move(reason)}) : *same;
    group.count += each.count;
    if (group.examples.size() < examples) group.examples.push_back(each.example);
  }
  return groups;
}

}  // namespace

std::string money_text(const Amount& amount) { return money_words(number_of(amount), amount.currency); }

std::string cost_text(const Advice& advice, const Amount& amount) {
  return money_words(jobs_told(advice) * number_of(amount), amount.currency);
}

std::string cost_heading(const Advice& advice) { return jobs_told(advice) == 1 ? "cost" : "cost of 1,000"; }

std::string chance_text(const std::optional<double>& share, std::int64_t draws) {
  if (!share) return "–";
  const double least = least_told_chance(draws);
  if (*share > 1 - least) return "> " + format_percent(1 - least, 3);
  return *share < least ? "< " + format_percent(least, 1) : format_percent(*share, *share > 0.99 ? 3 : 2);
}

bool is_for_speed(const Advice& advice) { return advice.budget && !advice.deadline_s && !advice.rate_per_s; }

std::vector<std::size_t> shown_candidates(const Advice& advice, std::size_t limit) {
  std::vector<std::size_t> places(advice.candidates.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  const auto rank = [&](std::size_t place) {
    const auto& candidate = advice.candidates[place];
    if (candidate.why_not == WhyNot::recommended) return 0;
    return candidate.is_on_front ? 1 : 2;
  };
  std::ranges::stable_sort(places, {}, rank);
  places.resize(std::min(places.size(), std::max<std::size_t>(limit, 1)));
  std::ranges::sort(places);
  return places;
}

PlainTable candidates_table(const Advice& advice, std::size_t limit) {
  PlainTable table{.caption = "Candidates"};
  const auto places = shown_candidates(advice, limit);
  if (advice.rate_per_s) {
    table.headings = {"configuration", "offer",     "machines",   "each sustains/s",
                      "an hour",       "a million", "sustain it", ""};
    for (const auto place : places) add_row_of_rate(advice.candidates[place], table);
    return table;
  }
  const bool has_deadline = has_any(advice, &AdvisedCandidate::p_deadline);
  const auto chance = is_for_speed(advice) ? &AdvisedCandidate::p_fastest : &AdvisedCandidate::p_cheapest;
  const bool has_chance = has_any(advice, chance);
  table.headings = {"configuration", "offer", "done in", "±", cost_heading(advice), "±"};
  if (has_deadline) table.headings.emplace_back("in time");
  if (has_chance) table.headings.emplace_back(is_for_speed(advice) ? "fastest" : "cheapest");
  table.headings.emplace_back("");
  for (const auto place : places) {
    const auto& candidate = advice.candidates[place];
    table.rows.push_back({candidate.configuration, candidate.offer, time_text(candidate.seconds),
                          spread(candidate.seconds), cost_text(advice, candidate.cost),
                          spread_of_cost(candidate)});
    auto& row = table.rows.back();
    if (has_deadline) row.push_back(chance_text(candidate.p_deadline, advice.simulations));
    if (has_chance) row.push_back(chance_text(candidate.*chance, advice.simulations));
    row.push_back(standing(candidate));
  }
  return table;
}

std::vector<std::string> why_not_sentences(const Advice& advice, std::size_t examples) {
  std::vector<std::string> sentences;
  for (const auto& group : why_not_groups(advice, examples)) {
    const auto more = group.count - std::ssize(group.examples);
    sentences.push_back(fmt::format("{} ({}): {}{}", group.reason, format_grouped(group.count),
                                    fmt::join(group.examples, "; "),
                                    more > 0 ? fmt::format("; and {} more", format_grouped(more)) : ""));
  }
  return sentences;
}

PlainTable next_runs_table(const Advice& advice) {
  PlainTable table{.caption = "One more run of each",
                   .headings = {"configuration", "offer", "costs", "choice sure now", "expected then"}};
  for (const auto& run : advice.next_runs)
    table.rows.push_back({run.configuration, run.offer, money_text(run.cost),
                          chance_text(run.p_now, advice.simulations),
                          chance_text(run.p_expected, advice.simulations)});
  return table;
}

PlainTable to_measure_table(const Advice& advice) {
  PlainTable table{
      .caption = "Machines to measure first",
      .headings = {"configuration", "offer", cost_heading(advice) + ", predicted",
                   is_for_speed(advice) ? "faster" : "cheaper", "saves on average", "measuring costs"}};
  for (const auto& each : advice.to_measure)
    table.rows.push_back({each.configuration, each.offer, cost_text(advice, each.cost),
                          chance_text(each.p_better, advice.simulations), cost_text(advice, each.saving),
                          money_text(each.measuring)});
  return table;
}

PlainTable advised_bill_table(const Advice& advice) {
  PlainTable table{.caption = "The recommended one's bill",
                   .headings = {"stage", "time", "known", cost_heading(advice)}};
  for (const auto& stage : advice.bill)
    table.rows.push_back({stage.stage, format_seconds(stage.seconds), stage.known.empty() ? "–" : stage.known,
                          cost_text(advice, stage.amount)});
  return table;
}

}  // namespace neph::report
