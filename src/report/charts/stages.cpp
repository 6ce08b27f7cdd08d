// Where the time of a picture goes: thread milliseconds by stage.
#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

Drawing draw_stages(const Document& document) {
  return draw_stacked(
      document.cells,
      {.parts = stage_names(document.cells),
       .estimates = &CellSummary::stages_ms,
       .axis = "thread milliseconds per picture",
       .unit = "ms",
       .description = "Stacked bars: thread milliseconds per picture by stage, one bar per setting."});
}

}  // namespace

extern const Chart stages_chart;
const Chart stages_chart{
    "stages", "Where the time goes",
    "Elapsed milliseconds of threads that one picture takes in each stage: summed over the "
    "loader threads; for infer, the time with at least one inference in flight. Stages "
    "overlap, and waiting counts, so the sum is neither work nor delay.",
    draw_stages};

}  // namespace neph::report
