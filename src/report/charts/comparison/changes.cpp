// Changes of all configurations with their intervals, beside the threshold: a forest plot for each metric.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/text.hpp"
#include "record/metrics.hpp"
#include "report/charts/chart.hpp"
#include "report/charts/vega.hpp"
#include "report/comparison_words.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "encoding": {
    "y": {"field": "configuration", "type": "nominal", "title": null, "sort": null, "axis": {"labelLimit": 220}},
    "x": {"field": "change", "type": "quantitative", "scale": {"padding": 16, "nice": false},
          "axis": {"labelExpr": "datum.label + ' %'", "labelOverlap": "greedy", "labelSeparation": 6}},
    "color": {"field": "verdict", "type": "nominal", "title": null, "legend": {"orient": "top", "columns": 2},
              "scale": {"domain": ["worse", "undecided", "better", "equivalent"],
                        "range": ["var(--series-4, #d55e00)", "var(--series-2, #e69f00)",
                                  "var(--series-3, #009e73)", "var(--series-1, #0072b2)"]}},
    "tooltip": [
      {"field": "configuration"}, {"field": "verdict"},
      {"field": "change", "title": "change, %", "format": "+.3~r"},
      {"field": "low", "title": "from", "format": "+.3~r"},
      {"field": "high", "title": "to", "format": "+.3~r"},
      {"field": "baseline"}, {"field": "candidate"}, {"field": "runs", "title": "n"}
    ]
  },
  "layer": [
    {"mark": {"type": "rule", "strokeWidth": 2},
     "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}},
    {"mark": {"type": "point", "filled": true, "size": 100, "opacity": 1},
     "encoding": {"shape": {"field": "verdict", "type": "nominal", "title": null,
                            "scale": {"domain": ["worse", "undecided", "better", "equivalent"],
                                      "range": ["triangle-down", "diamond", "triangle-up", "circle"]}}}}
  ]
})json";

/// Between the directions of an axis; others would be drawn as one space.
constexpr std::string_view em_spaces = "\u2003\u2003";

double percent(double ratio) { return 100 * (ratio - 1); }

Json row_of(const ComparedMetric& row) {
  const auto end = [](const std::optional<double>& ratio) {
    return ratio ? rounded(percent(*ratio)) : Json(nullptr);
  };
  return {{"configuration", printable(row.configuration)},
          {"verdict", std::string(enum_name(row.outcome))},
          {"change", rounded(percent(row.ratio.value))},
          {"low", end(deciding(row).low)},
          {"high", end(deciding(row).high)},
          {"baseline", value_text(row.metric, row.baseline.value)},
          {"candidate", value_text(row.metric, row.candidate.value)},
          {"runs", runs_in_words(row)}};
}

/// What lies between the thresholds, and no difference; on the axis of the others.
Json band(double threshold) {
  return Json::parse(fmt::format(
      R"json([
      {{"data": {{"values": [{{"from": {}, "to": {}}}]}},
        "mark": {{"type": "rect", "color": "var(--other, #b4bac4)", "opacity": 0.25}},
        "encoding": {{"x": {{"field": "from", "type": "quantitative"}}, "x2": {{"field": "to"}},
                      "y": {{"value": 0}}, "y2": {{"value": "height"}}, "color": {{"value": "var(--other, #b4bac4)"}}, "tooltip": {{"value": null}}}}}},
      {{"data": {{"values": [{{"from": 0}}]}}, "mark": {{"type": "rule", "strokeDash": [5, 4]}},
        "encoding": {{"x": {{"field": "from", "type": "quantitative"}}, "y": {{"value": 0}}, "y2": {{"value": "height"}},
                      "color": {{"value": "var(--muted, #59616d)"}},
                      "tooltip": {{"value": null}}}}}}])json",
      percent(1 / (1 + threshold)), percent(1 + threshold)));
}

Panel panel_of(const std::vector<const ComparedMetric*>& rows, double threshold) {
  const auto& first = *rows.front();
  const auto [higher, lower] = direction_of(first.metric, first.higher_is_better);
  const auto label = label_of(first.metric);
  Json data = Json::array();
  for (const auto* row : rows) data.push_back(row_of(*row));
  Panel panel{.caption = label,
              .description = fmt::format("Dot chart of the change of {} in percent by configuration, with "
                                         "intervals, beside a band of the threshold.",
                                         label),
              .spec = {}};
  panel.spec = specification(template_text, panel.description, std::move(data));
  panel.spec["height"] = std::max<std::size_t>(3, rows.size()) * row_height * 2 / 3;
  panel.spec["encoding"]["x"]["title"] = fmt::format("← {}{}{} →", lower, em_spaces, higher);
  auto layers = band(threshold);
  for (auto& layer : panel.spec["layer"]) layers.push_back(layer);
  panel.spec["layer"] = std::move(layers);
  return panel;
}

Drawing draw_changes(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::vector<const ComparedMetric*>>> by_metric;
  for (const auto* row : gravest_first(comparison)) {
    if (!std::isfinite(row->ratio.value)) continue;
    auto found = std::ranges::find(by_metric, row->metric, [](const auto& each) { return each.first; });
    if (found == by_metric.end()) found = by_metric.insert(found, {row->metric, {}});
    found->second.push_back(row);
  }
  Drawing drawing;
  for (const auto& [metric, rows] : by_metric) drawing.panels.push_back(panel_of(rows, comparison.threshold));
  return drawing;
}

}  // namespace

const ComparisonChart changes_chart{
    "changes", "Changes",
    "A sign is the candidate's change against the baseline and the verdict on it, worst first; its line is "
    "the 95 % confidence interval, of what is equivalent the 90 % one, which decides. The grey band is the "
    "threshold: a line that lies in it wholly is a difference too small to matter.",
    draw_changes};

}  // namespace neph::report
