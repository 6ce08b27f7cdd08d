// Throughput against batch (or the first factor that is a number), one line per combination of the other
// factors.
#include "report/charts/factor_axis.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

Drawing draw_throughput(const Document& document) {
  return draw_over_factor(document,
                          {.caption = "images/s against",
                           .description = "Line chart with 95 % intervals of images per second against",
                           .y = "images per second",
                           .unit = "images/s",
                           .value = [](const CellSummary& cell) { return images_per_s(cell); }});
}

}  // namespace

extern const Chart throughput_chart;
const Chart throughput_chart{
    "throughput", "How speed scales",
    "Each point is a configuration, each line joins the configurations that differ in nothing else; dashed "
    "lines are synchronous. Bars show the 95 % interval: where those of two points overlap widely, the "
    "difference may be chance.",
    draw_throughput};

}  // namespace neph::report
