// How long a run prepares itself. The measurement is left out: its length is chosen, and would hide the rest.
#include <algorithm>

#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {

Drawing draw_phases(const Document& document) {
  auto parts = phase_names(document.cells);
  std::erase(parts, "measure");
  return draw_stacked(
      document.cells,
      {.parts = std::move(parts),
       .estimates = &CellSummary::phases_s,
       .axis = "seconds before the measurement",
       .unit = "s",
       .description = "Stacked bars: seconds of each phase before the measurement, one bar per setting."});
}

}  // namespace neph::report
