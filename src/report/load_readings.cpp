#include "report/load_readings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/seconds.hpp"
#include "core/units.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

double number_of(const CellSummary& cell, const Experiment& experiment, const std::string& name) {
  const auto value = field_of(cell, experiment, name);
  return value.is_number() ? value.get<double>() : 0;
}

double seconds_of(const CellSummary& cell, const Experiment& experiment, const std::string& name) {
  const auto value = field_of(cell, experiment, name);
  if (value.is_number()) return value.get<double>();
  const auto length = value.is_string() ? parse_seconds(value.get<std::string>()) : Seconds{};
  return length ? length->value : 0;
}

std::string loop_of(const CellSummary& cell) {
  const auto loop = cell.facts.find("loop");
  return loop == cell.facts.end() ? std::string() : loop->second;
}

bool is_closed(const CellSummary& cell) {
  if (const auto loop = loop_of(cell); !loop.empty()) return loop.starts_with("closed");
  return std::any_of(cell.warnings.begin(), cell.warnings.end(),
                     [](const auto& warning) { return warning.code == "closed_loop"; });
}

}  // namespace

std::vector<Asked> asked(const Document& document) {
  std::vector<Asked> all;
  for (const auto& cell : document.cells) {
    if (!std::isfinite(answered_per_s(cell).value)) continue;
    Asked one{.cell = &cell, .closed = is_closed(cell), .all_at_once = loop_of(cell) == "open, all at once"};
    const auto* offered = find_estimate(cell.figures, "offered_per_s");
    one.level = number_of(cell, document.experiment, one.closed ? "clients" : "rate");
    if (!one.closed && !(one.level > 0) && offered) one.level = offered->value;
    if (std::isfinite(one.level) && one.level > 0) all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.closed != b.closed ? b.closed : a.level < b.level;
  });
  return all;
}

std::optional<Limit> promised(const CellSummary& cell, const Experiment& experiment) {
  if (const double s = seconds_of(cell, experiment, "p99"); s > 0) return Limit{.ms = 1e3 * s};
  const double s = seconds_of(cell, experiment, "limit");
  if (s <= 0) return std::nullopt;
  const double percentile = number_of(cell, experiment, "percentile");
  return Limit{.percentile = percentile > 0 ? percentile : 99, .ms = 1e3 * s};
}

Estimate answered_per_s(const CellSummary& cell) {
  const auto* estimate = find_estimate(cell.figures, "requests_per_s");
  return estimate ? *estimate : Estimate{};
}

std::optional<Outcomes> outcomes(const CellSummary& cell) {
  Outcomes seen;
  const auto add = [&](const char* name, double& to) {
    if (const auto* estimate = find_estimate(cell.figures, name); estimate && std::isfinite(estimate->value))
      to += estimate->value;
  };
  add("requests_answered", seen.answered);
  for (const auto* name :
       {"requests_unavailable", "requests_timed_out", "requests_failed", "requests_abandoned"})
    add(name, seen.not_answered);
  return seen.answered + seen.not_answered > 0 ? std::optional(seen) : std::nullopt;
}

std::string errors_text(const CellSummary& cell) {
  const auto seen = outcomes(cell);
  if (!seen) return "–";
  if (seen->not_answered == 0) return "0";
  return fmt::format("{} ({} %)", format_number(seen->not_answered),
                     format_number(100 * seen->share_lost(), 2));
}

}  // namespace neph::report
