// Throughput against batch (or the first factor that is a number), one line per combination of the other
// factors.
#include <algorithm>

#include "report/charts/charts.hpp"
#include "report/charts/factor_axis.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

bool has_dashes(const Panel& panel) {
  return std::ranges::any_of(panel.spec["layer"], [](const Json& layer) {
    return layer.contains("encoding") && layer["encoding"].contains("strokeDash");
  });
}

Drawing draw_throughput(const Document& document) {
  const auto& view = view_of(document);
  auto drawing = draw_over_factor(
      document, {.caption = worded("{rate} against", view),
                 .description = worded("Line chart with 95 % intervals of {rate} against", view),
                 .y = std::string(view.main.front().unit),
                 .unit = std::string(view.rate),
                 .value = [&](const CellSummary& cell) { return speed_of(document, cell); }});
  if (std::ranges::any_of(drawing.panels, has_dashes)) drawing.reading = "Dashed lines are synchronous.";
  return drawing;
}

}  // namespace

const Chart throughput_chart{
    "throughput", "How speed scales",
    "Each point is a configuration; a line joins those that differ in nothing else. Bars show the 95 % "
    "interval: where two overlap widely, the difference may be chance.",
    draw_throughput};

}  // namespace neph::report
