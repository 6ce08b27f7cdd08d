#include "report/container.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "core/values.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/scaling.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr const char* place_field = "in";
constexpr const char* bare = "process";

/// Fields that mean something in one of them alone.
const std::vector<std::string_view> apart{place_field, "image"};

bool is_bare(const CellSummary& cell) { return factor_of(cell, place_field) == bare; }
bool is_contained(const CellSummary& cell) {
  const auto place = factor_of(cell, place_field);
  return !place.is_null() && place != bare;
}

std::vector<Match> matches_of(const std::vector<ContainerCost>& costs) {
  std::vector<Match> all;
  for (const auto& cost : costs) all.push_back(cost.match);
  return all;
}

/// How many percent less it is.
PercentMore percent_less(const Estimate& ratio) {
  return percent_more({.value = 2 - ratio.value, .low = 2 - *ratio.high, .high = 2 - *ratio.low});
}

/// "A container costs 1.2 % more time (95 % CI 0.4 to 2.0 %)."
std::string cost_sentence(const Estimate& ratio, std::size_t pairs) {
  const auto over = pairs > 1 ? fmt::format(", over {} pairs of configurations", pairs) : "";
  const auto more = percent_more(ratio);
  if (!ratio.low || !ratio.high)
    return fmt::format("In a container it took {} % more time{}; one repeat says nothing about chance.",
                       more.value, over);
  if (*ratio.low > 1)
    return fmt::format("A container costs {} % more time (95 % CI {} to {} %{}).", more.value, more.low,
                       more.high, over);
  if (*ratio.high < 1) {
    const auto less = percent_less(ratio);
    return fmt::format("In a container it takes {} % less time (95 % CI {} to {} %{}).", less.value, less.low,
                       less.high, over);
  }
  return fmt::format("A container has no significant cost: {} % more time (95 % CI {} to {} %{}).",
                     more.value, more.low, more.high, over);
}

/// Where pairs are shown to differ from each other in what it costs.
std::string most_sentence(const std::vector<ContainerCost>& costs) {
  if (costs.size() < 2) return {};
  const auto most = std::ranges::max_element(costs, {}, [](const auto& cost) { return cost.ratio.value; });
  const auto least = std::ranges::min_element(costs, {}, [](const auto& cost) { return cost.ratio.value; });
  if (!most->ratio.low || !least->ratio.high || *most->ratio.low <= *least->ratio.high) return {};
  return fmt::format("The container costs most with {}, {} %, and least with {}, {} %.", most->name,
                     percent_more(most->ratio).value, least->name, percent_more(least->ratio).value);
}

std::optional<double> start_s(const Run& run) {
  if (run.status != RunStatus::ok) return std::nullopt;
  for (const auto& phase : run.result.phases)
    if (phase.name == phase::process_start.name) return phase.end_s - phase.begin_s;
  return std::nullopt;
}

std::string start_sentence(const Document& document, const std::vector<ContainerCost>& costs) {
  const auto later = difference_of(document, matches_of(costs), start_s);
  if (!std::isfinite(later.value) || (later.low && !shown(later, 0))) return {};
  const auto ci = later.low && later.high ? fmt::format(" (95 % CI {} to {})", format_seconds(*later.low),
                                                        format_seconds(*later.high))
                                          : "";
  if (later.value <= 0) return {};
  return fmt::format("A start in a container takes {} longer{}.", format_seconds(later.value), ci);
}

/// "used 1.98 cores and at most 512 MiB", or what of that is known; empty: nothing.
std::string use_text(const CellSummary& cell, std::string_view target, const Metric& memory) {
  const auto* cpu = find_telemetry(cell, target, telemetry::cpu);
  const auto* held = find_telemetry(cell, target, memory);
  std::string text;
  if (cpu && cpu->mean) text = fmt::format("{} cores", format_number(*cpu->mean));
  if (held && held->max)
    text += fmt::format("{}at most {}", text.empty() ? "" : " and ", quantity(held->max, unit::bytes));
  return text.empty() ? text : "used " + text;
}

/// Of the container that held most memory: what the machine around it counts, beside what its processes do.
std::string outside_sentence(const std::vector<ContainerCost>& costs) {
  const auto peak = [](const ContainerCost& cost) {
    const auto* held = find_telemetry(*cost.match.candidate, target::host_container, telemetry::memory_peak);
    return held ? held->max.value_or(0) : 0;
  };
  const auto& cell = *std::ranges::max_element(costs, {}, peak)->match.candidate;
  const auto outside = use_text(cell, target::host_container, telemetry::memory_peak);
  const auto inside = use_text(cell, target::process, telemetry::memory_peak);
  if (outside.empty()) return {};
  return fmt::format("Seen from the host, the container{} {}{}.",
                     costs.size() > 1 ? fmt::format(" of {}", cell.cell.label) : "", outside,
                     inside.empty() ? "" : fmt::format("; seen from inside, its processes {}", inside));
}

}  // namespace

std::vector<ContainerCost> container_costs(const Document& document) {
  std::vector<ContainerCost> costs;
  const auto time = [&](const Run& run) { return time_of(document, run); };
  for (const auto& match : matches(document, is_bare, is_contained, apart)) {
    const auto ratio = ratio_of(document, {match}, time, Better::lower).ratio;
    if (!std::isfinite(ratio.value)) continue;
    costs.push_back({.name = short_label(*match.baseline, document.experiment, {place_field}),
                     .match = match,
                     .ratio = ratio});
  }
  return costs;
}

Estimate container_cost_over_all(const Document& document, const std::vector<ContainerCost>& costs) {
  return ratio_of(
             document, matches_of(costs), [&](const Run& run) { return time_of(document, run); },
             Better::lower)
      .ratio;
}

PercentMore percent_more(const Estimate& ratio) {
  const double width = ratio.low && ratio.high ? 100 * (*ratio.high - *ratio.low) : 1;
  const int decimals = width >= 20 ? 0 : width >= 0.5 ? 1 : 2;
  const auto text = [&](double value) {
    auto words = fmt::format("{:.{}f}", 100 * (value - 1), decimals);
    const bool is_nothing = words.find_first_of("123456789") == std::string::npos;
    return is_nothing && words.front() == '-' ? words.substr(1) : words;
  };
  return {.value = text(ratio.value),
          .low = ratio.low ? text(*ratio.low) : "",
          .high = ratio.high ? text(*ratio.high) : ""};
}

std::vector<std::string> container_findings(const Document& document) {
  const auto costs = container_costs(document);
  if (costs.empty()) return {};
  return {cost_sentence(container_cost_over_all(document, costs), costs.size()), most_sentence(costs),
          start_sentence(document, costs), outside_sentence(costs)};
}

}  // namespace neph::report
