// What was predicted against what was measured, both logarithmic: the line is where they agree.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "report/charts/validation/dots.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_dots = 3000;
constexpr double margin = 1.1;  ///< factor between the outermost dot and the end of an axis

constexpr std::string_view template_text = R"json({
  "height": 320,
  "encoding": {
    "x": {"field": "measured", "type": "quantitative", "axis": {"labelOverlap": "greedy"}},
    "y": {"field": "value", "type": "quantitative", "axis": {"labelOverlap": "greedy"}},
    "color": {"field": "split", "type": "nominal", "title": null, "sort": null}
  },
  "layer": [
    {"mark": {"type": "line", "strokeDash": [5, 4], "strokeWidth": 1.5},
     "encoding": {"color": {"value": "var(--muted, #59616d)"}, "tooltip": {"value": null}}},
    {"transform": [{"filter": "datum.low > 0"}],
     "mark": {"type": "rule", "strokeWidth": 1.25, "opacity": 0.4, "clip": true},
     "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
    {"mark": {"type": "point", "filled": true, "size": 26, "opacity": 0.85},
     "encoding": {
       "tooltip": [
         {"field": "label", "title": "point"},
         {"field": "split", "title": "left out"},
         {"field": "measured", "title": "measured", "format": ",.4~r"},
         {"field": "value", "title": "predicted", "format": ",.4~r"},
         {"field": "low", "title": "90 % from", "format": ",.4~r"},
         {"field": "high", "title": "to", "format": ",.4~r"},
         {"field": "where", "title": "is"}
       ]}}
  ]
})json";

struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  void see(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Json scale() const {
    return {{"type", "log"}, {"nice", false}, {"domain", {rounded(low / margin), rounded(high * margin)}}};
  }
};

/// The same for all panels, so that methods can be compared.
Axis axis_of(const std::vector<Dots>& all) {
  Axis axis;
  for (const auto& dots : all)
    for (const auto* point : dots.points) {
      axis.see(point->measured);
      axis.see(point->value);
    }
  return axis;
}

Json rows_of(const Validation& validation, const Dots& dots) {
  Json rows = Json::array();
  for (const auto* point : dots.points)
    rows.push_back({{"label", point_label(validation, point->point)},
                    {"split", printable(validation.splits[static_cast<std::size_t>(point->split)])},
                    {"measured", rounded(point->measured)},
                    {"value", rounded(point->value)},
                    {"low", rounded(point->low)},
                    {"high", rounded(point->high)},
                    {"where", point->extrapolates ? "beyond the range" : "inside the range"}});
  return rows;
}

/// Each split in a colour of its own, where there are enough colours.
Json colour_of(const Validation& validation) {
  std::vector<std::string> names;
  for (const auto& split : validation.splits) names.push_back(printable(split));
  if (names.size() < 2 || names.size() > series_colours / 2) return {{"value", series_colour(0)}};
  return {{"field", "split"},
          {"type", "nominal"},
          {"title", nullptr},
          {"sort", nullptr},
          {"scale", colour_scale(names)}};
}

Panel panel_of(const Validation& validation, const Dots& dots, const Axis& axis) {
  const auto description = fmt::format(
      "Scatter chart: what {} predicted against what was measured, {} with their 90 % intervals; the dashed "
      "line is where both are the same.",
      dots.method->method, counted(std::ssize(dots.points), "point"));
  Json spec = specification(template_text, description, rows_of(validation, dots));
  auto& encoding = spec["encoding"];
  for (const auto& [channel, word] : {std::pair{"x", "measured"}, std::pair{"y", "predicted"}}) {
    encoding[channel]["title"] = fmt::format("{} {}", word, printable(validation.target));
    encoding[channel]["scale"] = axis.scale();
  }
  encoding["color"] = colour_of(validation);
  const auto ends = axis.scale()["domain"];
  spec["layer"][0]["data"]["values"] = {{{"measured", ends[0]}, {"value", ends[0]}},
                                        {{"measured", ends[1]}, {"value", ends[1]}}};
  spec["layer"][1]["encoding"]["y"]["title"] = encoding["y"]["title"];
  return {.caption = dots.method->method, .description = description, .spec = spec};
}

Drawing draw_predicted(const Validation& validation) {
  const auto all = dots_of(validation, most_dots);
  const auto axis = axis_of(all);
  Drawing drawing{.panels = {}, .note = thinning_note(validation, all), .choices = {}};
  for (const auto& dots : all) drawing.panels.push_back(panel_of(validation, dots, axis));
  return drawing;
}

}  // namespace

extern const ValidationChart predicted_chart;
const ValidationChart predicted_chart{
    "predicted", "Predicted against measured",
    "Each dot is a point that was left out while the model was fitted, with its 90 % interval; on the dashed "
    "line prediction and measurement agree. Both axes are logarithmic: the same distance is the same factor "
    "everywhere.",
    draw_predicted};

}  // namespace neph::report
