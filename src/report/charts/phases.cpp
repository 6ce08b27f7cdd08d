// How long a run prepares itself.
#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

Drawing draw_phases(const Document& document) {
  return {
      .panels = draw_stacked(
          {.parts = preparing_phases(document.cells),
           .bars = bars_of(document.cells, &CellSummary::phases_s),
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
