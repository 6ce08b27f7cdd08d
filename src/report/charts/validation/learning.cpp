// How much better predictions get with more points.
#include <set>

#include <fmt/format.h>

#include "report/charts/lines.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "height": 260,
  "encoding": {
    "x": {},
    "tooltip": [
      {"field": "x", "title": "points fitted on"},
      {"field": "mean", "title": "mean error, %", "format": ".3~r"},
      {"field": "least", "title": "best draw, %", "format": ".3~r"},
      {"field": "most", "title": "worst draw, %", "format": ".3~r"},
      {"field": "draws", "title": "draws"}
    ]
  },
  "layer": [
    {"mark": {"type": "line", "strokeWidth": 2, "color": "var(--series-1, #0072b2)"},
     "encoding": {"y": {"field": "mean", "type": "quantitative", "title": "mean error of the other points, %",
                        "scale": {"zero": true}}}},
    {"mark": {"type": "rule", "strokeWidth": 1.5, "color": "var(--series-1, #0072b2)"},
     "encoding": {"y": {"field": "least", "type": "quantitative"}, "y2": {"field": "most"}}},
    {"mark": {"type": "point", "filled": true, "size": 50, "opacity": 1, "color": "var(--series-1, #0072b2)"},
     "encoding": {"y": {"field": "mean", "type": "quantitative"}}}
  ]
})json";

Drawing draw_learning(const Validation& validation) {
  Json rows = Json::array();
  std::set<double> sizes;
  for (const auto& point : validation.learning_curve) {
    sizes.insert(static_cast<double>(point.points));
    rows.push_back({{"x", point.points},
                    {"mean", rounded(100 * point.mean)},
                    {"least", rounded(100 * point.least)},
                    {"most", rounded(100 * point.most)},
                    {"draws", point.draws}});
  }
  if (rows.size() < 2) return {};
  const auto description = fmt::format(
      "Line chart of the mean error of {} in percent against the number of points fitted on, with the best "
      "and the worst draw.",
      validation.explained);
  Json spec = specification(template_text, description, std::move(rows));
  spec["encoding"]["x"] = axis_over(sizes, "points fitted on, drawn at random");
  return {.panels = {{.caption = validation.explained, .description = description, .spec = spec}},
          .note = {},
          .choices = {}};
}

}  // namespace

extern const ValidationChart learning_chart;
const ValidationChart learning_chart{
    "learning", "Would more points help?",
    "The method is fitted on so many random points and predicts the others; the vertical lines reach from "
    "the "
    "best to the worst draw. Where the line has become flat, more points of the same kind help little.",
    draw_learning};

}  // namespace neph::report
