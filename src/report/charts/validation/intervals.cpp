// Whether the intervals hold what they should, and how wide they are for that.
#include <fmt/format.h>

#include "core/text.hpp"
#include "report/charts/validation/dots.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {
namespace {

constexpr double nominal_percent = 90;

constexpr std::string_view template_text = R"json({
  "encoding": {
    "y": {"field": "method", "type": "nominal", "title": null, "sort": null, "axis": {"labelLimit": 120}},
    "x": {"field": "value", "type": "quantitative", "scale": {"nice": false, "padding": 12, "zero": false}},
    "tooltip": [
      {"field": "method", "title": "method"},
      {"field": "split", "title": "left out"},
      {"field": "value", "format": ".3~r"},
      {"field": "rows", "title": "points"}
    ]
  },
  "layer": [
    {"transform": [{"filter": "!datum.all"}],
     "mark": {"type": "point", "filled": true, "size": 40, "opacity": 0.6, "color": "var(--other, #b4bac4)"}},
    {"transform": [{"filter": "datum.all"}],
     "mark": {"type": "point", "filled": true, "size": 90, "opacity": 1, "color": "var(--series-1, #0072b2)"}}
  ]
})json";

struct Shown {
  std::string caption;
  std::string axis;
  std::string end;  ///< of the scale that is always shown: one dot alone would have a scale without a length
  double at;
  double (*value)(const Score&);
};

Json row_of(const std::string& method, const std::string& split, bool all, const Score& score, double value) {
  return {{"method", method},
          {"split", split},
          {"all", all},
          {"value", rounded(value)},
          {"rows", score.rows - score.refused}};
}

Json rows_of(const Validation& validation, const Shown& shown) {
  Json rows = Json::array();
  for (const auto& method : validation.methods) {
    const auto add = [&](const std::string& split, bool all, const Score& score) {
      if (std::isfinite(shown.value(score)))
        rows.push_back(row_of(method.method, split, all, score, shown.value(score)));
    };
    if (method.splits.size() > 1)
      for (const auto& split : method.splits) add(printable(split.left_out), false, split.score);
    add("all", true, method.score);
  }
  return rows;
}

/// Its x is the other layers': a datum of its own would be merged with their field, and never drawn.
Json nominal_layer() {
  return Json::parse(fmt::format(
      R"json({{"data": {{"values": [{{"value": {}}}]}}, "mark": {{"type": "rule", "strokeDash": [5, 4]}},
        "encoding": {{"y": {{"value": 0}}, "y2": {{"value": "height"}},
                      "color": {{"value": "var(--muted, #59616d)"}}, "tooltip": {{"value": null}}}}}})json",
      nominal_percent));
}

Panel panel_of(const Validation& validation, const Shown& shown) {
  auto rows = rows_of(validation, shown);
  Panel panel{.caption = shown.caption,
              .description =
                  fmt::format("Dot chart by method: {}; large dots are of all splits together.", shown.axis),
              .spec = {}};
  if (rows.empty()) return panel;
  bool has_splits = false;
  for (const auto& row : rows) has_splits |= !row["all"].get<bool>();
  panel.spec = specification(template_text, panel.description, std::move(rows));
  panel.spec["height"] = row_height * validation.methods.size();
  panel.spec["encoding"]["x"]["title"] = shown.axis;
  panel.spec["encoding"]["x"]["scale"][shown.end] = shown.at;
  panel.spec["encoding"]["tooltip"][2]["title"] = shown.axis;
  if (!has_splits) panel.spec["layer"].erase(0);  // marks without any extent make Vega complain
  return panel;
}

Drawing draw_intervals(const Validation& validation) {
  auto coverage =
      panel_of(validation, {"coverage", "% of the 90 % intervals that hold the measurement", "domainMax", 100,
                            [](const Score& score) { return 100 * score.coverage; }});
  auto width = panel_of(validation, {"width", "factor from the middle of an interval to its end, median",
                                     "domainMin", 1, [](const Score& score) { return score.half_width; }});
  if (coverage.spec.is_null()) return {};
  coverage.spec["layer"].push_back(nominal_layer());
  return {.panels = {std::move(coverage), std::move(width)}, .note = {}, .choices = {}};
}

}  // namespace

extern const ValidationChart intervals_chart;
const ValidationChart intervals_chart{
    "intervals", "Coverage and width of the intervals",
    "Nine of ten intervals should hold what was measured: those left of the dashed line are too narrow, "
    "those far to its right wider than they need be. A width of 1.2 is 20 % up and 17 % down. Pale dots "
    "are single splits, large ones all together.",
    draw_intervals};

}  // namespace neph::report
