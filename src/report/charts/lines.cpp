#include "report/charts/lines.hpp"

#include <algorithm>
#include <cmath>

#include "report/charts/vega.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "height": 300,
  "encoding": {
    "x": {},
    "color": {"field": "line", "type": "nominal", "title": null, "sort": null},
    "tooltip": [
      {"field": "label", "title": "configuration"},
      {"field": "value", "format": ",.4~r"},
      {"field": "low", "title": "95 % from", "format": ",.4~r"},
      {"field": "high", "title": "to", "format": ",.4~r"},
      {"field": "n", "title": "n"}
    ]
  },
  "layer": [
    {"mark": {"type": "line", "strokeWidth": 2},
     "encoding": {"y": {"field": "value", "type": "quantitative", "scale": {"zero": true}}}},
    {"mark": {"type": "errorbar", "ticks": {"size": 7}, "rule": {"strokeWidth": 1.5}},
     "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
    {"mark": {"type": "point", "filled": true, "size": 50, "opacity": 1},
     "encoding": {"y": {"field": "value", "type": "quantitative"}}}
  ]
})json";

constexpr std::string_view notes_text = R"json({
  "transform": [{"filter": "datum.note != ''"}],
  "mark": {"type": "text", "align": "left", "dx": 7, "dy": -7, "fontSize": 11},
  "encoding": {"y": {"field": "value", "type": "quantitative"}, "text": {"field": "note"}}
})json";

constexpr std::string_view dashes_text = R"json({
  "field": "style", "type": "nominal", "title": null, "sort": null,
  "scale": {"domain": ["sync", "async"], "range": [[5, 4], [1, 0]]},
  "legend": {"symbolType": "stroke", "symbolStrokeColor": "var(--muted, #59616d)"}
})json";

Json row_of(const LinePoint& point, bool logarithmic) {
  Json row{{"x", rounded(point.x)}, {"line", point.line}, {"label", point.label}, {"note", point.note}};
  if (!point.style.empty()) row["style"] = point.style;
  auto value = point.value;
  if (logarithmic && value.low && *value.low <= 0) value.low = value.value;
  add_estimate(row, value);
  return row;
}

bool drawn(const LinePoint& point, bool logarithmic) {
  return std::isfinite(point.value.value) && std::isfinite(point.x) &&
         (!logarithmic || point.value.value > 0);
}

/// Lines that have a point, each with the colour of its place among all of them.
Json colours_of(const Lines& lines) {
  auto all = lines.lines;
  std::set<std::string> seen;
  for (const auto& point : lines.points) {
    if (!drawn(point, lines.logarithmic)) continue;
    seen.insert(point.line);
    if (std::find(all.begin(), all.end(), point.line) == all.end()) all.push_back(point.line);
  }
  const auto every = colour_scale(all);
  Json scale{{"domain", Json::array()}, {"range", Json::array()}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!seen.contains(all[i])) continue;
    scale["domain"].push_back(every["domain"][i]);
    scale["range"].push_back(every["range"][i]);
  }
  return scale;
}

}  // namespace

Panel draw_lines(const Lines& lines) {
  Json rows = Json::array();
  bool notes = false, styles = false;
  for (const auto& point : lines.points) {
    if (!drawn(point, lines.logarithmic)) continue;
    rows.push_back(row_of(point, lines.logarithmic));
    notes |= !point.note.empty();
    styles |= !point.style.empty();
  }
  Panel panel{.caption = lines.caption, .description = lines.description, .spec = {}};
  if (rows.empty()) return panel;
  auto colours = colours_of(lines);
  const bool single = colours["domain"].size() == 1;
  panel.spec = specification(template_text, lines.description, std::move(rows));
  panel.spec["encoding"]["x"] = lines.x;
  panel.spec["encoding"]["color"]["scale"] = std::move(colours);
  panel.spec["encoding"]["tooltip"][1]["title"] = lines.unit;
  if (single) panel.spec["encoding"]["color"]["legend"] = nullptr;
  auto& layers = panel.spec["layer"];
  if (styles) layers[0]["encoding"]["strokeDash"] = Json::parse(dashes_text);
  if (notes) layers.push_back(Json::parse(notes_text));
  for (auto& layer : layers) layer["encoding"]["y"]["title"] = lines.y;
  if (lines.logarithmic) layers[0]["encoding"]["y"]["scale"] = {{"type", "log"}, {"nice", true}};
  return panel;
}

Json axis_over(const std::set<double>& values, const std::string& title) {
  Json x{{"field", "x"}, {"type", "quantitative"}, {"title", title}};
  x["axis"] = {{"grid", false}, {"labelOverlap", "greedy"}, {"format", "~f"}};  // "~r" rounds 256 to 260
  if (values.size() <= 12) x["axis"]["values"] = values;
  const bool wide = !values.empty() && *values.begin() > 0 && *values.rbegin() / *values.begin() >= 4;
  x["scale"] = wide ? Json{{"type", "log"}, {"base", 2}, {"nice", false}, {"padding", 16}}
                    : Json{{"zero", false}, {"nice", false}, {"padding", 16}};
  return x;
}

std::string style_of(const CellSummary& cell) {
  const auto mode = factor_of(cell, "mode");
  return mode.is_null() ? "" : factor_text(mode);
}

}  // namespace neph::report
