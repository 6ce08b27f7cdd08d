// Throughput against latency, with the configurations that no other beats in both.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/charts.hpp"
#include "report/charts/vega.hpp"
#include "report/contenders.hpp"
#include "report/percentile.hpp"
#include "report/readings.hpp"
#include "report/recommendation.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_labels = 8;  // more lie on each other
constexpr double wide = 4;              // largest to smallest latency: an axis of powers

constexpr const char* on_front = "on the Pareto front";
constexpr const char* behind = "dominated";

/// One layer of layers, so that what is drawn beside it inherits nothing from its encoding.
constexpr std::string_view template_text = R"json({
  "height": 340,
  "layer": [{"encoding": {
    "x": {"field": "latency", "type": "quantitative"},
    "y": {"field": "value", "type": "quantitative", "scale": {"zero": true}},
    "color": {"field": "front", "type": "nominal", "title": null},
    "tooltip": [
      {"field": "label", "title": "configuration"},
      {"field": "value", "format": ",.4~r"},
      {"field": "low", "title": "95 % from", "format": ",.4~r"},
      {"field": "high", "title": "to", "format": ",.4~r"},
      {"field": "latency", "title": "ms", "format": ",.4~r"},
      {"field": "latency_low", "title": "95 % from", "format": ",.4~r"},
      {"field": "latency_high", "title": "to", "format": ",.4~r"}
    ]
  },
  "layer": [
    {"transform": [{"filter": "datum.place != null"}],
     "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5, "strokeDash": [5, 4], "opacity": 0.5},
     "encoding": {"order": {"field": "place", "type": "quantitative"}, "tooltip": {"value": null}}},
    {"mark": {"type": "rule", "strokeWidth": 1.5},
     "encoding": {"x": {"field": "latency_low", "type": "quantitative"}, "x2": {"field": "latency_high"}}},
    {"mark": {"type": "rule", "strokeWidth": 1.5},
     "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
    {"mark": {"type": "point", "filled": true, "size": 60, "opacity": 1}}
  ]}]
})json";

/// Labels of the points in the left half stand right of them, and the other way round: none leaves the chart.
constexpr std::array label_layers{
    R"json({"transform": [{"filter": "datum.label_at == 'right'"}],
     "mark": {"type": "text", "align": "left", "dx": 8, "dy": -8, "fontSize": 11},
     "encoding": {"text": {"field": "text"}}})json",
    R"json({"transform": [{"filter": "datum.label_at == 'left'"}],
     "mark": {"type": "text", "align": "right", "dx": -8, "dy": -8, "fontSize": 11},
     "encoding": {"text": {"field": "text"}}})json"};

struct Point {
  const CellSummary* cell;
  Estimate speed;
  Estimate latency_ms;
  std::optional<std::size_t> place;  ///< on the front, by latency
};

/// The configurations that may be recommended and of which both are known, by latency; of equal ones the
/// faster first.
std::vector<Point> points_of(const Document& document, const std::string& percentile) {
  std::vector<Point> points;
  for (const auto* cell : ranked_applications(document)) {
    const auto* latency = find_shown(cell->latency_ms, percentile);
    const auto speed = speed_of(document, *cell);
    if (cell->verdict != Verdict::invalid && latency && latency->value > 0 && std::isfinite(speed.value))
      points.push_back({cell, speed, *latency, {}});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.latency_ms.value < b.latency_ms.value; });
  return points;
}

/// Numbers those that are faster than all with less latency; returns how many.
std::size_t mark_front(std::vector<Point>& points) {
  std::size_t count = 0;
  double fastest = 0;
  for (auto& point : points)
    if (point.speed.value > fastest) {
      fastest = point.speed.value;
      point.place = count++;
    }
  return count;
}

/// `floor_ms`: where an interval is cut that reaches below what the axis has.
Json row_of(const Document& document, const Point& point, const char* label_at, double floor_ms) {
  Json row{{"label", point.cell->cell.label},
           {"front", point.place ? on_front : behind},
           {"place", point.place ? Json(*point.place) : Json(nullptr)},
           {"text", short_label(*point.cell, document.experiment)},
           {"label_at", label_at},
           {"latency", rounded(point.latency_ms.value)},
           {"latency_low", rounded(std::max(*point.latency_ms.low, floor_ms))},
           {"latency_high", rounded(point.latency_ms.high)}};
  add_estimate(row, point.speed);
  return row;
}

std::string left_out(const Document& document, std::size_t drawn) {
  const auto missing = document.cells.size() - drawn;
  return missing == 0
             ? ""
             : fmt::format(
                   "Left out: {} with an invalid verdict, without a result, with too few {} "
                   "for the percentile, or never recommended (an independent client; --files off "
                   "beside --files on).",
                   counted(static_cast<std::int64_t>(missing), "configuration"), view_of(document).samples);
}

Drawing draw_tradeoff(const Document& document) {
  const auto& view = view_of(document);
  const double limit_ms = 1e3 * document.experiment.latency_limit_s;
  const std::string percentile(limit_ms > 0 ? limited_percentile : statistic::p50);
  auto points = points_of(document, percentile);
  if (points.size() < 2) return {};
  const auto count = mark_front(points);
  const double least = points.front().latency_ms.value, most = points.back().latency_ms.value;
  const bool is_log = most / least >= wide;
  const double middle = is_log ? std::sqrt(least * most) : (least + most) / 2;
  const double floor_ms = is_log ? least / 2 : 0;
  Json rows = Json::array();
  std::array is_used{false, false};  // layers without a mark make Vega complain
  for (const auto& point : points) {
    const bool is_left = point.latency_ms.value <= middle;
    const bool is_labelled = point.place && count <= most_labels;
    if (is_labelled) is_used[is_left ? 0 : 1] = true;
    rows.push_back(row_of(document, point, !is_labelled ? "" : is_left ? "right" : "left", floor_ms));
  }
  const auto axis = fmt::format("{} {}, ms", limit_ms > 0 ? percentile : "median", view.latency);
  const auto description = fmt::format("{} against {} of {} with 95 % intervals; {} on the front.", view.rate,
                                       axis, counted(std::ssize(points), "configuration"), count);
  Json spec = specification(template_text, description, std::move(rows));
  auto& encoding = spec["layer"][0]["encoding"];
  encoding["x"]["title"] = axis;
  encoding["y"]["title"] = view.main.front().unit;
  encoding["tooltip"][1]["title"] = view.rate;
  encoding["x"]["scale"] = is_log ? Json{{"type", "log"}, {"nice", false}, {"padding", 24}}
                                  : Json{{"zero", false}, {"padding", 24}};
  encoding["color"]["scale"] = {{"domain", {on_front, behind}},
                                {"range", {series_colour(0), std::string(muted_colour)}}};
  for (std::size_t i = 0; i < label_layers.size(); ++i)
    if (is_used[i]) spec["layer"][0]["layer"].push_back(Json::parse(label_layers[i]));
  if (limit_ms > 0)
    for (auto& layer : line_across("x", limit_ms, "limit " + format_seconds(1e-3 * limit_ms)))
      spec["layer"].push_back(std::move(layer));
  return {.panels = {{.caption = fmt::format("{} against {}", view.rate, axis),
                      .description = description,
                      .spec = spec}},
          .note = left_out(document, points.size())};
}

}  // namespace

const Chart tradeoff_chart{
    "tradeoff", "Throughput against latency",
    "Each point is a configuration, its lines are 95 % intervals. The dashed line is the Pareto front: to be "
    "faster than a point on it costs latency. It joins estimates: where intervals overlap, which point is on "
    "it may be chance.",
    draw_tradeoff};

}  // namespace neph::report
