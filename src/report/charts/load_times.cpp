// Percentiles of the response time against how hard the server is asked.
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/lines.hpp"
#include "report/charts/load_groups.hpp"
#include "report/charts/vega.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_panels = 6;
constexpr double wide = 20;  // largest to smallest: an axis of powers

constexpr std::array layers_of_a_limit{
    R"json({"data": {"values": [{}]},
     "mark": {"type": "rule", "strokeDash": [6, 4], "strokeWidth": 1.5, "color": "var(--invalid, #b03a00)"},
     "encoding": {"x": {"value": 0}, "x2": {"value": "width"}, "y": {}, "color": {"value": "var(--invalid, #b03a00)"},
                  "tooltip": {"value": null}}})json",
    R"json({"data": {"values": [{}]},
     "mark": {"type": "text", "align": "left", "dx": 4, "dy": -6, "fontSize": 11},
     "encoding": {"x": {"value": 0}, "y": {}, "color": {"value": "var(--invalid, #b03a00)"},
                  "text": {"value": ""}, "tooltip": {"value": null}}})json"};

void add_limit(Json& spec, const Limit& limit) {
  for (const auto* text : layers_of_a_limit) {
    Json layer = Json::parse(text);
    layer["encoding"]["y"] = {{"datum", rounded(limit.ms)}};
    if (layer["encoding"].contains("text"))
      layer["encoding"]["text"]["value"] =
          fmt::format("SLO: {} % within {} ms", plain(limit.percentile), plain(limit.ms));
    spec["layer"].push_back(std::move(layer));
  }
}

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
  if (const auto limit = limit_of(group, experiment)) add_limit(panel.spec, *limit);
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

const Chart load_times_chart{"load_times", "Response time against load",
                             "Time from the scheduled moment of a request to the last byte of its reply, "
                             "with 95 % intervals: what users "
                             "see who come by themselves. In a closed loop clients wait for each reply "
                             "before they ask again; while the "
                             "server is slow it is asked less, so its times must not be read as those of an "
                             "open loop. The dashed line "
                             "is the SLO.",
                             draw_load_times};

}  // namespace neph::report
