#include "report/charts/stacked.hpp"

#include <algorithm>
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
         {"field": "label", "title": "configuration"},
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

/// A colour for each part that some bar has; the same one whichever of the others are there.
template <class Finite>
Json scale_of(const Stacked& what, Finite finite) {
  Json scale{{"domain", Json::array()}, {"range", Json::array()}};
  std::size_t colour = 0;
  for (const auto& part : what.parts) {
    const bool muted = std::find(what.muted.begin(), what.muted.end(), part) != what.muted.end();
    const auto own = muted || colour >= series_colours ? std::string(muted_colour) : series_colour(colour);
    colour += !muted;
    if (std::none_of(what.bars.begin(), what.bars.end(), [&](const auto& bar) { return finite(bar, part); }))
      continue;
    scale["domain"].push_back(in_words(part));
    scale["range"].push_back(own);
  }
  return scale;
}

}  // namespace

std::vector<Bar> bars_of(const std::vector<CellSummary>& cells,
                         std::map<std::string, Estimate> CellSummary::*estimates) {
  std::vector<Bar> bars;
  for (const auto& cell : cells) bars.push_back({cell.cell.label, cell.*estimates});
  return bars;
}

std::vector<Panel> draw_stacked(const Stacked& what) {
  Json rows = Json::array();
  std::size_t bars = 0;
  const auto finite = [](const Bar& bar, const std::string& part) {
    const auto* estimate = find_estimate(bar.parts, part);
    return estimate && std::isfinite(estimate->value) ? estimate : nullptr;
  };
  for (const auto& bar : what.bars) {
    const auto begin = rows.size();
    double total = 0;
    for (std::size_t order = 0; order < what.parts.size(); ++order) {
      const auto* estimate = finite(bar, what.parts[order]);
      if (!estimate) continue;
      total += estimate->value;
      Json row{
          {"place", bars}, {"order", order}, {"part", in_words(what.parts[order])}, {"label", bar.label}};
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
  Json& encoding = spec["layer"][0]["encoding"];
  encoding["x"]["title"] = what.axis;
  encoding["color"]["scale"] = scale_of(what, finite);
  return {{.caption = what.caption, .description = what.description, .spec = spec}};
}

}  // namespace neph::report
