#include "report/load_readings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/percentile.hpp"
#include "core/seconds.hpp"
#include "core/units.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/way.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

double number_of(const CellSummary& cell, const Experiment& experiment, const std::string& name) {
  const auto value = field_of(cell, experiment, name);
  return value.is_number() ? value.get<double>() : 0;
}

/// Who says nothing of clients has one.
double clients_of(const CellSummary& cell, const Experiment& experiment) {
  return std::max(1.0, number_of(cell, experiment, "clients"));
}

double seconds_of(const CellSummary& cell, const Experiment& experiment, const std::string& name) {
  const auto value = field_of(cell, experiment, name);
  if (value.is_number()) return value.get<double>();
  const auto length = value.is_string() ? parse_seconds(value.get<std::string>()) : Seconds{};
  return length ? length->value : 0;
}

std::string loop_of(const CellSummary& cell) { return get(cell.facts, fact::loop).value_or(""); }

/// Of what was offered: less is a queue that grows, or requests that fail.
constexpr double keeps_up = 0.98;
/// Missing requests that any run may have, since one is being answered when it ends; more than the second
/// figure, and than were in flight on the whole, are no chance.
constexpr double always_in_flight = 1, few_in_flight = 10;

bool has(const CellSummary& cell, WarningCode code) {
  return std::any_of(cell.warnings.begin(), cell.warnings.end(),
                     [&](const auto& warning) { return warning.code == code; });
}

bool is_closed(const CellSummary& cell) {
  if (const auto loop = loop_of(cell); !loop.empty()) return loop.starts_with("closed");
  return has(cell, WarningCode::closed_loop);
}

Slo side_of(const Estimate& late_share, double allowed) {
  if (late_share.high && *late_share.high <= allowed) return Slo::met;
  if (late_share.low && *late_share.low > allowed) return Slo::violated;
  return Slo::inconclusive;
}

/// By the counts as a search judges them, and by the interval: it alone knows how much runs differ, or how
/// much neighbours in one resemble each other, but over runs without a late request it has no width.
Slo outcome_of(const Probe& probe, const Estimate& late_share) {
  const double allowed = 1 - probe.percentile / 100;
  const auto by_count = stats::slo_of(static_cast<double>(probe.late), static_cast<double>(probe.requests),
                                      allowed, 1 - kConfidence);
  return by_count == side_of(late_share, allowed) ? by_count : Slo::inconclusive;
}

}  // namespace

std::vector<Asked> asked(const Document& document) {
  std::vector<Asked> all;
  for (const auto& cell : document.cells) {
    if (!std::isfinite(answered_per_s(cell).value)) continue;
    Asked one{.cell = &cell, .closed = is_closed(cell), .all_at_once = loop_of(cell) == "open, all at once"};
    const auto* offered = find_estimate(cell.figures, metric::offered_per_s);
    one.level = one.closed ? clients_of(cell, document.experiment)
                : offered  ? offered->value
                           : number_of(cell, document.experiment, "rate");
    if (std::isfinite(one.level) && one.level > 0) all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.closed != b.closed ? b.closed : a.level < b.level;
  });
  return all;
}

std::string LoadGroup::axis() const {
  return closed ? "clients, each with one request in flight" : "requests per second offered";
}

std::string LoadGroup::caption() const {
  std::string text;
  if (closed) text += ", closed loop";
  if (name != "all") text += ", " + name;
  return text;
}

std::set<double> LoadGroup::levels() const {
  std::set<double> all;
  for (const auto& one : members) all.insert(std::stod(format_number(one.level)));  // offered rates are odd
  return all;
}

std::vector<LoadGroup> grouped(const std::vector<Asked>& all, const Experiment& experiment,
                               const std::vector<std::string_view>& apart) {
  std::vector<LoadGroup> groups;
  for (const auto& one : all) {
    const auto name = short_label(*one.cell, experiment, apart);
    auto found = std::ranges::find_if(
        groups, [&](const auto& group) { return group.closed == one.closed && group.name == name; });
    if (found == groups.end()) found = groups.insert(groups.end(), {one.closed, name, {}});
    found->members.push_back(one);
  }
  return groups;
}

std::vector<LoadGroup> load_groups(const Document& document, std::size_t most) {
  auto groups = grouped(asked(document), document.experiment, {"rate", "clients", "arrival"});
  std::erase_if(groups, [](const auto& group) { return group.levels().size() < 2; });
  if (groups.size() > most) groups.resize(most);
  return groups;
}

bool was_held_back(const CellSummary& cell) { return has(cell, WarningCode::in_flight_reached); }

std::optional<Limit> slo_of(const CellSummary& cell, const Experiment& experiment) {
  if (const double s = seconds_of(cell, experiment, "p99"); s > 0) return Limit{.ms = 1e3 * s};
  const double s = seconds_of(cell, experiment, "limit");
  if (s <= 0) return std::nullopt;
  const double percentile = number_of(cell, experiment, "percentile");
  return Limit{.percentile = percentile > 0 ? percentile : 99, .ms = 1e3 * s};
}

Estimate answered_per_s(const CellSummary& cell) {
  const auto* estimate = find_estimate(cell.figures, metric::requests_per_s);
  return estimate ? *estimate : Estimate{};
}

InTime in_time(const Asked& one) {
  const auto seen = outcomes(*one.cell);
  const double offered = seen ? seen->all() * static_cast<double>(one.cell->runs_ok) : 0;
  return {.offered = offered, .answered = offered * answered_per_s(*one.cell).value / one.level};
}

Pace pace(const Asked& one) {
  const auto [offered, answered] = in_time(one);
  if (offered > 0 && offered < fewest_for_pace) return Pace::untold;
  const bool is_overloaded = has(*one.cell, WarningCode::overloaded);  // in one run of several, perhaps
  if (answered_per_s(*one.cell).value >= keeps_up * one.level)
    return is_overloaded ? Pace::untold : Pace::kept_up;
  if (is_overloaded) return Pace::fell_behind;
  const double missing =
      (offered - answered) / static_cast<double>(std::max<std::int64_t>(1, one.cell->runs_ok));
  const auto* in_flight = find_estimate(one.cell->figures, metric::in_flight_mean);
  if (offered <= 0 || missing > std::max(few_in_flight, in_flight ? in_flight->value : 0))
    return Pace::fell_behind;
  return missing > always_in_flight ? Pace::untold : Pace::kept_up;
}

std::optional<Probe> slo_at(const Asked& one, const Experiment& experiment) {
  const auto limit = slo_of(*one.cell, experiment);
  const auto* late = find_estimate(one.cell->figures, metric::late_share);
  if (!limit || !late || !std::isfinite(late->value)) return std::nullopt;
  Probe probe{.rate_per_s = one.level, .percentile = limit->percentile};
  if (const auto seen = outcomes(*one.cell)) {
    const double all = seen->all() * static_cast<double>(one.cell->runs_ok);
    probe.requests = std::llround(all);
    const auto* count = find_estimate(one.cell->figures, metric::requests_late);
    probe.late = count ? std::llround(count->value * static_cast<double>(one.cell->runs_ok))
                       : std::llround(late->value * all);
  }
  probe.outcome = outcome_of(probe, *late);
  return probe;
}

std::vector<std::vector<std::string>> probe_rows(const std::vector<CellSummary>& cells) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& cell : cells)
    for (const auto& probe : cell.probes) {
      const auto why = why_not_shown(probe.percentile / 100, probe.response_ms);
      const auto again = probe.is_fresh ? ", probed afresh" : "";
      rows.push_back({cell.cell.label, format_number(probe.rate_per_s) + again,
                      std::string(enum_name(probe.outcome)),
                      fmt::format("{} of {}", probe.late, probe.requests),
                      fmt::format("p{} {}", plain(probe.percentile),
                                  why.empty() ? estimate_text(probe.response_ms) : why),
                      probe.undecided.empty() ? "–" : probe.undecided});
    }
  return rows;
}

bool tells_of_generator(const CellSummary& cell) {
  return std::any_of(cell.warnings.begin(), cell.warnings.end(), [](const auto& warning) {
    return warning.weight == Weight::voids && warning.code != WarningCode::requests_failed;
  });
}

std::optional<Outcomes> outcomes(const CellSummary& cell) {
  Outcomes seen;
  for (const auto& kind : enum_names(RequestOutcome{})) {
    auto& to = kind.value == RequestOutcome::answered ? seen.answered : seen.not_answered;
    if (const auto* estimate = find_estimate(cell.figures, outcome_name(kind.value));
        estimate && std::isfinite(estimate->value))
      to += estimate->value;
  }
  return seen.all() > 0 ? std::optional(seen) : std::nullopt;
}

std::string errors_text(const CellSummary& cell) {
  const auto seen = outcomes(cell);
  if (!seen) return "–";
  if (seen->not_answered == 0) return "0";
  const double lost = seen->not_answered;  // a mean over runs: a whole number, or not
  const auto count = lost == std::round(lost) ? format_grouped(std::llround(lost)) : format_number(lost);
  return fmt::format("{} ({} %)", count, format_number(100 * seen->share_lost(), 2));
}

}  // namespace neph::report
