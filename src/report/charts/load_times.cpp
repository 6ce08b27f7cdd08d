// Percentiles of the response time against how hard the server is asked.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/lines.hpp"
#include "report/charts/vega.hpp"
#include "report/load_readings.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_panels = 6;
constexpr double wide = 20;  // largest to smallest: an axis of powers

/// The SLO of all members, where they share one.
std::optional<Limit> limit_of(const LoadGroup& group, const Experiment& experiment) {
  const auto first = slo_of(*group.members[0].cell, experiment);
  for (const auto& one : group.members) {
    const auto limit = slo_of(*one.cell, experiment);
    if (!first || !limit || limit->ms != first->ms || limit->percentile != first->percentile) return {};
  }
  return first;
}

Panel panel_of(const LoadGroup& group, const std::vector<std::string>& quantiles,
               const Experiment& experiment) {
  Lines lines{
      .caption = "response time, ms" + group.caption(),
      .description = fmt::format(
          "Line chart of percentiles of the response time in milliseconds with 95 % intervals against {}.",
          group.axis()),
      .x = axis_over(group.levels(), group.axis()),
      .y = "milliseconds",
      .unit = "ms",
      .lines = quantiles};
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& name : quantiles)
    for (const auto& one : group.members)
      if (const auto* estimate = find_shown(one.cell->latency_ms, name)) {
        lines.points.push_back(
            {.x = one.level, .line = name, .label = one.cell->cell.label, .value = *estimate});
        least = std::min(least, estimate->value);
        most = std::max(most, estimate->value);
      }
  lines.logarithmic = least > 0 && most / least > wide;
  auto panel = draw_lines(lines);
  if (panel.spec.is_null()) return panel;
  if (const auto limit = limit_of(group, experiment))
    for (auto& layer :
         line_across("y", limit->ms,
                     fmt::format("SLO: {} % within {} ms", plain(limit->percentile), plain(limit->ms))))
      panel.spec["layer"].push_back(std::move(layer));
  return panel;
}

Drawing draw_load_times(const Document& document) {
  const auto quantiles = quantile_names(document.cells);
  Drawing drawing;
  for (const auto& group : load_groups(document, most_panels))
    if (auto panel = panel_of(group, quantiles, document.experiment); !panel.spec.is_null())
      drawing.panels.push_back(std::move(panel));
  return drawing;
}

}  // namespace

const Chart load_times_chart{
    "load_times", "Response time against load",
    "From the scheduled moment of a request to the last byte of its reply, with 95 % intervals: what "
    "independent users see. In a closed loop clients wait for each reply before they ask again. A slow "
    "server "
    "is then asked less, so do not read its times as those of an open loop. The dashed line is the SLO.",
    draw_load_times};

}  // namespace neph::report
