// A bar per setting, fastest first. The label stands above its bar and not beside it, so that long ones fit
// on a phone.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/charts/chart.hpp"
#include "report/charts/vega.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "encoding": {
    "y": {"field": "place", "type": "ordinal", "axis": null},
    "tooltip": [
      {"field": "label", "title": "setting"},
      {"field": "value", "title": "images/s", "format": ",.4~r"},
      {"field": "low", "title": "95 % from", "format": ",.4~r"},
      {"field": "high", "title": "to", "format": ",.4~r"},
      {"field": "n", "title": "runs"},
      {"field": "verdict", "title": "verdict"}
    ]
  },
  "layer": [
    {"mark": {"type": "bar", "height": 12, "yOffset": 8, "cornerRadiusEnd": 2},
     "encoding": {
       "x": {"field": "value", "type": "quantitative", "title": "images per second", "scale": {"zero": true}},
       "color": {"field": "verdict", "type": "nominal", "title": null}}},
    {"mark": {"type": "rule", "yOffset": 8, "strokeWidth": 1.5, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}},
    {"mark": {"type": "tick", "yOffset": 8, "size": 10, "thickness": 1.5, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "low", "type": "quantitative"}}},
    {"mark": {"type": "tick", "yOffset": 8, "size": 10, "thickness": 1.5, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "high", "type": "quantitative"}}},
    {"mark": {"type": "text", "align": "left", "yOffset": -7, "limit": {}},
     "encoding": {"x": {"value": 0}, "text": {"field": "label"}}},
    {"mark": {"type": "text", "align": "right", "yOffset": -7},
     "encoding": {"x": {"value": "width"}, "text": {"field": "text"}}}
  ]
})json";

std::string words_of(const CellSummary& cell) {
  return cell.runs_ok == 0 ? "no result" : estimate_text(images_per_s(cell));
}

Drawing draw_settings(const Document& document) {
  const auto order = by_speed(document.cells);
  if (order.size() < 2 || !std::isfinite(images_per_s(*order[0]).value)) return {};
  Json rows = Json::array();
  bool doubts = false;
  std::size_t widest = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto& cell = *order[place];
    Json row{{"place", place},
             {"label", cell.cell.label},
             {"verdict", enum_name(cell.verdict)},
             {"text", words_of(cell)}};
    add_estimate(row, images_per_s(cell));
    doubts |= cell.verdict != Verdict::valid;
    widest = std::max(widest, display_width(words_of(cell)));
    rows.push_back(std::move(row));
  }
  const auto description =
      fmt::format("Bar chart of images per second of {} settings with 95 % intervals; the fastest is {}.",
                  order.size(), order[0]->cell.label);
  Json spec = specification(template_text, description, std::move(rows));
  Json& colour = spec["layer"][0]["encoding"]["color"];
  colour["scale"] = {{"domain", {"valid", "doubtful", "invalid"}},
                     {"range", {series_colour(0), series_colour(1), series_colour(3)}}};
  spec["height"] = row_height * order.size();
  spec["layer"][4]["mark"]["limit"] = {{"expr", fmt::format("width - {}", 7 * widest + 16)}};
  if (!doubts) colour["legend"] = nullptr;
  return {.panels = {{.caption = "images/s, 95 % interval", .description = description, .spec = spec}}};
}

}  // namespace

extern const Chart settings_chart;
const Chart settings_chart{
    "settings", "All settings, fastest first",
    "Pictures per second; the line across the end of a bar is its 95 % interval over the "
    "repeats.",
    draw_settings};

}  // namespace neph::report
