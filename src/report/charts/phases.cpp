// How long a run prepares itself.
#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {

Drawing draw_phases(const Document& document) {
  return draw_stacked(
      document.cells,
      {.parts = preparing_phases(document.cells),
       .estimates = &CellSummary::phases_s,
       .axis = "seconds before the measurement",
       .unit = "s",
       .description = "Stacked bars: seconds of each phase before the measurement, one bar per setting."});
}

}  // namespace neph::report
