// Where a run's time goes, from the start of its process to its end.
#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

Drawing draw_run_phases(const Document& document) {
  return {.panels = draw_stacked(
              {.parts = phase_names(document.cells),
               .bars = bars_of(document.cells, &CellSummary::phases_s),
               .caption = "seconds of a run",
               .axis = "seconds of a run",
               .unit = "s",
               .description = "Stacked bars: seconds of each phase of a run, one bar per configuration."})};
}

}  // namespace

const Chart run_phases_chart{
    "run_phases", "Where a run's time goes",
    "Seconds of each phase, of several epochs together. Where only some steps were measured, learning and "
    "verifying are those of these steps, not of the whole training.",
    draw_run_phases};

}  // namespace neph::report
