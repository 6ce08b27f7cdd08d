// Where the time of a picture goes: thread milliseconds by stage.
#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {

Drawing draw_stages(const Document& document) {
  return draw_stacked(
      document.cells,
      {.parts = stage_names(document.cells),
       .estimates = &CellSummary::stages_ms,
       .axis = "thread milliseconds per picture",
       .unit = "ms",
       .description = "Stacked bars: thread milliseconds per picture by stage, one bar per setting."});
}

}  // namespace neph::report
