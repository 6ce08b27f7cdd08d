// What a container costs: a point with its interval for each pair of configurations, and one for all of them.
#include "report/container.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/charts.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "encoding": {
    "y": {"field": "place", "type": "ordinal", "axis": null},
    "tooltip": [
      {"field": "label", "title": "configuration"},
      {"field": "value", "title": "% more time", "format": "+.3~r"},
      {"field": "low", "title": "95 % from", "format": "+.3~r"},
      {"field": "high", "title": "to", "format": "+.3~r"},
      {"field": "n", "title": "repeats"}
    ]
  },
  "layer": [
    {"mark": {"type": "rule", "yOffset": 8, "strokeWidth": 2, "color": "var(--muted, #59616d)"},
     "encoding": {"x": {"field": "low", "type": "quantitative", "scale": {"zero": true, "padding": 12}},
                  "x2": {"field": "high"}}},
    {"mark": {"type": "point", "yOffset": 8, "filled": true, "size": 60, "opacity": 1},
     "encoding": {"x": {"field": "value", "type": "quantitative"},
                  "color": {"field": "kind", "type": "nominal", "title": null, "legend": null}}},
    {"mark": {"type": "text", "align": "left", "yOffset": -7, "limit": {"expr": "width - 160"}},
     "encoding": {"x": {"value": 0}, "text": {"field": "label"}}},
    {"mark": {"type": "text", "align": "right", "yOffset": -7},
     "encoding": {"x": {"value": "width"}, "text": {"field": "text"}}}
  ]
})json";

constexpr const char* title = "% more time in the container";

Estimate percent_of(const Estimate& ratio) {
  const auto of = [](double value) { return 100 * (value - 1); };
  return {.value = of(ratio.value),
          .low = ratio.low ? std::optional(of(*ratio.low)) : std::nullopt,
          .high = ratio.high ? std::optional(of(*ratio.high)) : std::nullopt,
          .n = ratio.n};
}

Json row_of(std::size_t place, const std::string& label, const char* kind, const Estimate& ratio) {
  const auto words = percent_more(ratio);
  auto text = words.value + " %";
  if (ratio.low && ratio.high) text += fmt::format(" ({} to {})", words.low, words.high);
  Json row{{"place", place}, {"label", label}, {"kind", kind}, {"text", text}};
  add_estimate(row, percent_of(ratio));
  return row;
}

Drawing draw_container(const Document& document) {
  const auto costs = container_costs(document);
  if (costs.empty()) return {};
  Json rows = Json::array();
  for (const auto& cost : costs)
    rows.push_back(
        row_of(rows.size(), cost.name == "all" ? "bare against container" : cost.name, "pair", cost.ratio));
  if (costs.size() > 1)
    rows.push_back(row_of(rows.size(), fmt::format("over all {} pairs", costs.size()), "all",
                          container_cost_over_all(document, costs)));
  const auto height = row_height * rows.size();
  const auto description =
      fmt::format("Points with 95 % intervals: percent more time in the container than bare, of {}.",
                  counted(std::ssize(costs), "pair"));
  Json spec = specification(template_text, description, std::move(rows));
  spec["height"] = height;
  spec["layer"][1]["encoding"]["color"]["scale"] = {{"domain", {"pair", "all"}},
                                                    {"range", {series_colour(0), series_colour(3)}}};
  for (const std::size_t layer : {0, 1}) spec["layer"][layer]["encoding"]["x"]["title"] = title;
  for (auto& layer : line_across("x", 0, "bare", true, -4)) spec["layer"].push_back(std::move(layer));
  return {.panels = {{.caption = title, .description = description, .spec = std::move(spec)}}};
}

}  // namespace

const Chart container_chart{
    "container", "What a container costs",
    "Each point is a pair of configurations that differ in nothing but where they ran, compared repeat by "
    "repeat; the bar is the 95 % interval. Where it crosses 0, no difference was seen.",
    draw_container};

}  // namespace neph::report
