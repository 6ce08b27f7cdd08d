// A metric over the experiments of a store, with the points from which on it lies elsewhere.
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "record/metrics.hpp"
#include "report/charts/chart.hpp"
#include "report/charts/vega.hpp"
#include "report/comparison_words.hpp"
#include "report/history_words.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_panels = 24;
constexpr std::size_t many_points = 60;   ///< whose dots would cover each other
constexpr std::size_t widest_label = 40;  ///< characters
constexpr std::size_t label_height = 15, label_rows = 3;

constexpr std::string_view template_text = R"json({
  "height": 200,
  "encoding": {
    "x": {"field": "place", "type": "quantitative", "scale": {"nice": false, "padding": 12, "zero": false},
          "axis": {"tickMinStep": 1, "grid": false, "labelOverlap": "greedy", "labelExpr": "names[datum.value - 1]"}},
    "tooltip": [
      {"field": "experiment"}, {"field": "created"}, {"field": "shown"}, {"field": "version", "title": "neph"},
      {"field": "engine"}, {"field": "model"}
    ]
  },
  "layer": [
    {"transform": [{"filter": "datum.low != null"}],
     "mark": {"type": "rule", "strokeWidth": 1.5, "color": "var(--series-1, #0072b2)", "opacity": 0.5},
     "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
    {"mark": {"type": "point", "filled": true, "size": 50, "opacity": 1, "color": "var(--series-1, #0072b2)"},
     "encoding": {"y": {"field": "value", "type": "quantitative", "scale": {"zero": false, "padding": 12}}}},
    {"mark": {"type": "rule", "strokeWidth": 2, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "from", "type": "quantitative"}, "x2": {"field": "to"},
                  "y": {"field": "mean", "type": "quantitative"},
                  "tooltip": [{"field": "told", "title": "mean from change to change"}]}}
  ]
})json";

constexpr std::string_view change_text = R"json({
  "data": {"values": []},
  "encoding": {"tooltip": {"field": "told", "title": "change"}},
  "layer": [
    {"mark": {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5, "color": "var(--series-4, #d55e00)"},
     "encoding": {"y": {}, "y2": {"value": "height"}}},
    {"mark": {"type": "text", "fontSize": 11, "baseline": "bottom", "align": "left",
              "limit": {"expr": "max(90, width - scale('x', datum.place) + 8)"}},
     "encoding": {"y": {}, "text": {"field": "label"}}}
  ]
})json";

/// How a metric's numbers stand on an axis, where the label alone does not say it.
struct AxisUnit {
  double factor;
  std::string_view name;
};
AxisUnit axis_unit(const std::string& metric) {
  if (unit_of_name(metric) == unit::bytes) return {1.0 / (1 << 20), "MiB"};
  if (metric.ends_with("_ms")) return {1, "ms"};
  return unit_of_name(metric) == unit::seconds ? AxisUnit{1, "s"} : AxisUnit{1, ""};
}

/// Of each experiment its day; where all are of one its number.
Json names_of(const HistoryLine& line) {
  std::vector<std::string> days, numbers;
  for (const auto& point : line.points) {
    days.push_back(printable(day_of(point.created)));
    numbers.push_back(std::to_string(point.experiment));
  }
  return std::set(days.begin(), days.end()).size() > 1 ? days : numbers;
}

Json points_of(const HistoryLine& line, const History& history) {
  const auto factor = axis_unit(history.metric).factor;
  Json rows = Json::array();
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const auto& point = line.points[i];
    Json row{{"place", i + 1},
             {"experiment", point.experiment},
             {"created", printable(point.created)},
             {"shown", value_with_interval(history.metric, point.value)},
             {"version", printable(point.version)},
             {"engine", printable(point.engine)},
             {"model", printable(point.model)}};
    add_estimate(row, scaled(point.value, factor));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json means_of(const std::vector<Segment>& segments, const History& history) {
  Json rows = Json::array();
  for (const auto& segment : segments)
    rows.push_back({{"from", static_cast<double>(segment.begin) + 0.5},
                    {"to", static_cast<double>(segment.end) + 0.5},
                    {"mean", rounded(segment.mean * axis_unit(history.metric).factor)},
                    {"told", value_text(history.metric, segment.mean)}});
  return rows;
}

/// A dashed line before the first point that lies elsewhere, with what is said of it above, to its right, as
/// far as the panel reaches; the tooltip says all. The earlier, the higher, so that no line crosses a label.
/// Near the right end there is room for the change alone. Its x is the points': a datum of its own would be
/// merged with their field.
void add_change(std::size_t number, const std::vector<Segment>& segments, const HistoryLine& line,
                const History& history, Json& layers) {
  const auto &before = segments[number - 1], &after = segments[number];
  const auto with = with_of(after, line);
  const bool has_room = 3 * after.begin < 2 * line.points.size();
  const auto change = change_in_words(before, after, history);
  const auto told = change + (with.empty() ? "" : ": " + with);
  const auto level = (segments.size() - 1 - number) % label_rows;
  const auto height = -static_cast<std::int64_t>(8 + label_height * level);
  layers.push_back(Json::parse(change_text));
  auto& layer = layers.back();
  layer["data"]["values"].push_back(
      {{"place", static_cast<double>(after.begin) + 0.5},
       {"label", cut_to_width(printable(has_room ? told : change), widest_label)},
       {"told", printable(told)}});
  for (auto& part : layer["layer"]) part["encoding"]["y"]["value"] = height;
}

Panel panel_of(const HistoryLine& line, const History& history) {
  const auto label = label_of(history.metric);
  const auto name = printable(name_of(line, history));
  const auto segments = segments_of(line);
  Panel panel{.caption = name,
              .description = fmt::format("Dot chart of {} of {} over {}, with {}.", label, name,
                                         counted(std::ssize(line.points), "experiment"),
                                         counted(std::ssize(segments) - 1, "change")),
              .spec = {}};
  panel.spec = specification(template_text, panel.description, points_of(line, history));
  const auto names = names_of(line);
  panel.spec["params"] = Json::array({{{"name", "names"}, {"value", names}}});
  const bool has_days = names[0] != std::to_string(line.points[0].experiment);
  panel.spec["encoding"]["x"]["title"] =
      has_days ? "day of the experiment, in order" : "experiment, in order";
  panel.spec["encoding"]["tooltip"][2]["title"] = label;
  auto& layers = panel.spec["layer"];
  const auto unit = axis_unit(history.metric).name;
  layers[1]["encoding"]["y"]["title"] = unit.empty() ? label : fmt::format("{}, {}", label, unit);
  layers[2]["data"] = {{"values", means_of(segments, history)}};
  for (std::size_t i = 1; i < segments.size(); ++i) add_change(i, segments, line, history, layers);
  if (line.points.size() > many_points) layers[1]["mark"]["size"] = 16;
  return panel;
}

Drawing draw_history(const History& history) {
  Drawing drawing;
  std::size_t lines = 0;
  for (const auto& line : history.lines) {
    if (line.points.empty()) continue;
    if (++lines <= most_panels) drawing.panels.push_back(panel_of(line, history));
  }
  if (lines > most_panels)
    drawing.note = fmt::format("The first {} of {} lines are shown; --json has all.", most_panels, lines);
  return drawing;
}

}  // namespace

const HistoryChart history_chart{"history", "Over time",
                                 "A dot is one experiment, with its 95 % confidence interval; the horizontal "
                                 "lines are means from change to "
                                 "change. A dashed line stands where values begin to lie elsewhere "
                                 "(permutation test, 5 %), with what else "
                                 "changed there.",
                                 draw_history};

}  // namespace neph::report
