// How long a run prepares itself.
#include <algorithm>

#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"
#include "report/effect.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

/// Until a run first measures: a search warms up again before each of its probes.
std::vector<Bar> bars_before_measuring(const Document& document) {
  auto bars = bars_of(document.cells, &CellSummary::phases_s);
  const auto is_probe = [](const Phase& span) { return span.name == phase::probe.name; };
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const auto& cell = document.cells[i];
    for (const auto& part : preparing_phases({cell})) {
      const auto before = mean_of(document, cell, [&](const Run& run) {
        double length_s = 0;
        if (std::ranges::none_of(run.result.phases, is_probe)) return std::optional<double>();
        for (const auto& span : run.result.phases) {
          if (is_probe(span)) break;
          if (span.name == part) length_s += span.end_s - span.begin_s;
        }
        return length_s > 0 ? std::optional(length_s) : std::nullopt;
      });
      if (before.n > 0) bars[i].parts[part] = before;
    }
  }
  return bars;
}

Drawing draw_phases(const Document& document) {
  return {
      .panels = draw_stacked(
          {.parts = preparing_phases(document.cells),
           .bars = bars_before_measuring(document),
           .caption = "seconds before the measurement",
           .axis = "seconds before the measurement",
           .unit = "s",
           .description =
               "Stacked bars: seconds of each phase before the measurement, one bar per configuration."})};
}

}  // namespace

const Chart phases_chart{
    "phases", "Before the measurement begins",
    "Seconds from the start of the process to the first measured {item}: what a cold start costs.",
    draw_phases};

}  // namespace neph::report
