// How long a run prepares itself.
#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"
#include "report/effect.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

/// Until a run first measures: a search warms up again before each of its probes.
std::vector<Bar> bars_before_measuring(const Document& document) {
  std::vector<Bar> bars;
  for (const auto& cell : document.cells) {
    auto& bar = bars.emplace_back(cell.cell.label, std::map<std::string, Estimate>{});
    for (const auto& part : preparing_phases({cell}))
      bar.parts[part] = mean_of(document, cell, [&](const Run& run) {
        double length_s = 0;
        for (const auto& phase : run.result.phases) {
          const auto* kind = find_phase(phase.name);
          if (kind && kind->stage >= BillStage::learn) break;
          if (phase.name == part) length_s += phase.end_s - phase.begin_s;
        }
        return length_s > 0 ? std::optional(length_s) : std::nullopt;
      });
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
