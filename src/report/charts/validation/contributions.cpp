// What each feature contributes: how much further off predictions are without it.
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"
#include "report/charts/chart.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "encoding": {
    "y": {"field": "column", "type": "nominal", "title": null, "sort": null, "axis": {"labelLimit": 140}},
    "tooltip": [
      {"field": "column", "title": "feature"},
      {"field": "factor", "title": "further off by", "format": ".3~r"},
      {"field": "least", "title": "least draw", "format": ".3~r"},
      {"field": "most", "title": "most", "format": ".3~r"}
    ]
  },
  "layer": [
    {"mark": {"type": "rule", "strokeWidth": 14, "opacity": 0.6, "color": "var(--series-1, #0072b2)"},
     "encoding": {"x": {"field": "one", "type": "quantitative", "title": "further off by a factor of",
                        "scale": {"type": "log", "nice": false, "padding": 12}, "axis": {"labelOverlap": "greedy"}},
                  "x2": {"field": "factor"}}},
    {"mark": {"type": "rule", "strokeWidth": 1.5, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "least", "type": "quantitative"}, "x2": {"field": "most"}}},
    {"mark": {"type": "tick", "thickness": 2, "size": 16, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "factor", "type": "quantitative"}}}
  ]
})json";

Drawing draw_contributions(const Validation& validation) {
  Json rows = Json::array();
  for (const auto& each : validation.contributions)
    if (std::isfinite(each.factor))
      rows.push_back({{"column", printable(each.column)},
                      {"one", 1},
                      {"factor", rounded(each.factor)},
                      {"least", rounded(each.least)},
                      {"most", rounded(each.most)}});
  if (rows.empty()) return {};
  const auto description = fmt::format(
      "Bar chart: by what factor predictions of {} are further off when the values of a feature are "
      "shuffled, "
      "for each feature.",
      validation.explained);
  const auto height = row_height * rows.size();
  Json spec = specification(template_text, description, std::move(rows));
  spec["height"] = height;
  return {.panels = {{.caption = validation.explained, .description = description, .spec = spec}},
          .note = {},
          .choices = {}};
}

}  // namespace

extern const ValidationChart contributions_chart;
const ValidationChart contributions_chart{"contributions", "What each feature contributes",
                                          "By what factor predictions of left-out points are further off "
                                          "when the values of one column are shuffled "
                                          "among them, with the least and the most of the draws. 1 is "
                                          "nothing. A column whose content other columns "
                                          "repeat may show little though it matters.",
                                          draw_contributions};

}  // namespace neph::report
