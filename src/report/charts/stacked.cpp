#include "report/charts/stacked.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/vega.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "encoding": {"y": {"field": "place", "type": "ordinal", "axis": null}},
  "layer": [
    {"mark": {"type": "bar", "height": 12, "yOffset": 8},
     "encoding": {
       "x": {"field": "value", "type": "quantitative", "stack": "zero"},
       "order": {"field": "order", "type": "quantitative"},
       "color": {"field": "part", "type": "nominal", "title": null, "sort": null},
       "tooltip": [
         {"field": "label", "title": "setting"},
         {"field": "part", "title": "part"},
         {"field": "value", "title": "mean", "format": ".4~r"},
         {"field": "low", "title": "95 % from", "format": ".4~r"},
         {"field": "high", "title": "to", "format": ".4~r"},
         {"field": "n", "title": "n"}
       ]}},
    {"transform": [{"filter": "datum.first"}],
     "mark": {"type": "text", "align": "left", "yOffset": -7, "limit": {"expr": "width - 80"}},
     "encoding": {"x": {"value": 0}, "text": {"field": "label"}}},
    {"transform": [{"filter": "datum.first"}],
     "mark": {"type": "text", "align": "right", "yOffset": -7},
     "encoding": {"x": {"value": "width"}, "text": {"field": "total"}}}
  ]
})json";

}  // namespace

Drawing draw_stacked(const std::vector<CellSummary>& cells, const Stacked& what) {
  Json rows = Json::array();
  std::vector<std::string> names;
  std::size_t bars = 0;
  for (const auto& part : what.parts) names.push_back(in_words(part));
  for (std::size_t place = 0; place < cells.size(); ++place) {
    const auto begin = rows.size();
    double total = 0;
    for (std::size_t order = 0; order < what.parts.size(); ++order) {
      const auto* estimate = find_estimate(cells[place].*what.estimates, what.parts[order]);
      if (!estimate || !std::isfinite(estimate->value)) continue;
      total += estimate->value;
      Json row{
          {"place", place}, {"order", order}, {"part", names[order]}, {"label", cells[place].cell.label}};
      add_estimate(row, *estimate);
      rows.push_back(std::move(row));
    }
    if (rows.size() == begin) continue;
    ++bars;
    rows[begin]["first"] = true;
    rows[begin]["total"] = format_number(total) + " " + what.unit;
  }
  if (rows.empty()) return {};
  Json spec = specification(template_text, what.description, std::move(rows));
  spec["height"] = row_height * bars;
  Json& bar = spec["layer"][0]["encoding"];
  bar["x"]["title"] = what.axis;
  bar["color"]["scale"] = colour_scale(names);
  return {.panels = {{.caption = what.axis, .description = what.description, .spec = spec}}};
}

}  // namespace neph::report
