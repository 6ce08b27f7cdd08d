// Errors against each feature: a slope or a bend is something that the method has not understood.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "report/charts/validation/dots.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_dots = 1200;  ///< of a panel
constexpr std::size_t most_panels = 12;
constexpr std::size_t most_categories = 24;
constexpr double wide = 20;  // largest to smallest: an axis of powers

constexpr std::string_view template_text = R"json({
  "height": 200,
  "layer": [
    {"mark": {"type": "rule", "strokeDash": [5, 4]},
     "encoding": {"y": {"datum": 1}, "color": {"value": "var(--muted, #59616d)"}, "tooltip": {"value": null}}},
    {"mark": {"type": "point", "filled": true, "size": 24, "opacity": 0.7},
     "encoding": {
       "x": {},
       "y": {"field": "ratio", "type": "quantitative", "title": "predicted / measured",
             "scale": {"type": "log", "nice": false, "padding": 6}, "axis": {"labelOverlap": "greedy"}},
       "color": {"field": "method", "type": "nominal", "title": null, "sort": null},
       "tooltip": [
         {"field": "label", "title": "point"},
         {"field": "method", "title": "method"},
         {"field": "ratio", "title": "predicted / measured", "format": ".4~r"}
       ]}}
  ]
})json";

/// The values of a feature, as its axis must bear them.
struct Values {
  bool numbers = true;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::set<std::string> texts;
};

Values values_of(const FeatureColumn& feature) {
  Values values;
  for (const auto& value : feature.values) {
    values.texts.insert(cell_text(value));
    if (value.is_null()) continue;
    if (!value.is_number()) {
      values.numbers = false;
    } else {
      values.low = std::min(values.low, value.get<double>());
      values.high = std::max(values.high, value.get<double>());
    }
  }
  return values;
}

Json axis_of(const Values& values, const std::string& title) {
  if (!values.numbers)
    return {{"field", "x"}, {"type", "nominal"}, {"title", title}, {"axis", {{"labelLimit", 120}}}};
  const bool powers = values.low > 0 && values.high / values.low > wide;
  Json scale{{"type", powers ? "log" : "linear"}, {"nice", false}, {"padding", 10}};
  if (!powers) scale["zero"] = false;
  return {{"field", "x"},
          {"type", "quantitative"},
          {"title", title},
          {"scale", scale},
          {"axis", {{"grid", false}, {"labelOverlap", "greedy"}, {"format", "~s"}}}};
}

Json rows_of(const Validation& validation, const std::vector<Dots>& all, const FeatureColumn& feature,
             bool numbers) {
  Json rows = Json::array();
  for (const auto& dots : all)
    for (const auto* point : dots.points) {
      const auto& value = feature.values[static_cast<std::size_t>(point->point)];
      if (numbers && value.is_null()) continue;
      rows.push_back({{"x", numbers ? rounded(value.get<double>()) : Json(cell_text(value))},
                      {"ratio", rounded(point->value / point->measured)},
                      {"method", dots.method->method},
                      {"label", point_label(validation, point->point)}});
    }
  return rows;
}

Panel panel_of(const Validation& validation, const std::vector<Dots>& all, const FeatureColumn& feature,
               const Values& values) {
  const auto name = printable(feature.name);
  const auto description = fmt::format(
      "Scatter chart: prediction divided by measurement against {}, a dot per prediction, a colour per "
      "method.",
      name);
  Json spec = specification(template_text, description, rows_of(validation, all, feature, values.numbers));
  auto& encoding = spec["layer"][1]["encoding"];
  encoding["x"] = axis_of(values, name);
  const auto names = method_names(validation);
  encoding["color"]["scale"] = colour_scale(names);
  if (names.size() == 1) encoding["color"]["legend"] = nullptr;
  return {.caption = name, .description = description, .spec = spec};
}

Drawing draw_residuals(const Validation& validation) {
  const auto all = dots_of(validation, most_dots);
  Drawing drawing{.panels = {}, .note = thinning_note(validation, all), .choices = {}};
  std::string left_out;
  for (const auto& feature : validation.features) {
    const auto values = values_of(feature);
    if (all.empty() || values.texts.size() < 2) continue;
    if (drawing.panels.size() == most_panels || (!values.numbers && values.texts.size() > most_categories))
      left_out += (left_out.empty() ? "" : ", ") + printable(feature.name);
    else
      drawing.panels.push_back(panel_of(validation, all, feature, values));
  }
  if (!left_out.empty())
    drawing.note += fmt::format("{}Not drawn, for too many panels or too many categories: {}.",
                                drawing.note.empty() ? "" : " ", left_out);
  return drawing;
}

}  // namespace

extern const ValidationChart residuals_chart;
const ValidationChart residuals_chart{"residuals", "Residuals against each feature",
                                      "Prediction divided by measurement: above the dashed line too much was "
                                      "predicted, below it too little, on "
                                      "a logarithmic axis, where twice and half are as far from it. Where "
                                      "the dots follow a slope or a bend, the "
                                      "method has not understood that feature.",
                                      draw_residuals};

}  // namespace neph::report
