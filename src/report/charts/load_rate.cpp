// Answered against offered requests per second.
#include <cmath>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/lines.hpp"
#include "report/load_readings.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_panels = 6;
constexpr const char* answered = "answered";
constexpr const char* in_time = "answered within the limit";
constexpr const char* offered = "offered";

Panel panel_of(const LoadGroup& group) {
  Lines lines{.caption = "requests/s" + group.caption(),
              .description = fmt::format("Line chart of answered requests per second with 95 % intervals "
                                         "against {}.",
                                         group.axis()),
              .x = axis_over(group.levels(), group.axis()),
              .y = "requests per second",
              .unit = "requests/s",
              .lines = {answered, in_time, offered}};
  for (const auto& one : group.members) {
    const std::string note = one.cell->verdict == Verdict::invalid ? "invalid" : "";
    const auto add = [&](const char* line, const Estimate& value) {
      lines.points.push_back({.x = one.level,
                              .line = line,
                              .label = one.cell->cell.label,
                              .value = value,
                              .note = line == answered ? note : ""});
    };
    add(answered, answered_per_s(*one.cell));
    if (const auto* good = find_estimate(one.cell->figures, metric::goodput_per_s)) add(in_time, *good);
    if (!group.closed) add(offered, {.value = one.level, .n = 1});
  }
  return draw_lines(lines);
}

Drawing draw_load_rate(const Document& document) {
  Drawing drawing;
  for (const auto& group : load_groups(document, most_panels))
    if (auto panel = panel_of(group); !panel.spec.is_null()) drawing.panels.push_back(std::move(panel));
  return drawing;
}

}  // namespace

const Chart load_rate_chart{
    "load_rate", "Answered against offered",
    "Offered are the requests of the schedule as they fell: with random arrivals not quite the rate asked "
    "for. A server that keeps up answers what is offered. Where the lines part, a queue grows for as long as "
    "the load lasts, and times depend on the length of the measurement. Points marked as invalid tell of the "
    "load generator, not of the server.",
    draw_load_rate};

}  // namespace neph::report
