// Throughput against batch (or the first factor that is a number), one line per combination of the other
// factors.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "report/charts/chart.hpp"
#include "report/charts/vega.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "height": 300,
  "encoding": {
    "x": {"field": "x", "type": "quantitative"},
    "color": {"field": "line", "type": "nominal", "title": null, "sort": null},
    "tooltip": [
      {"field": "label", "title": "setting"},
      {"field": "value", "title": "images/s", "format": ",.4~r"},
      {"field": "low", "title": "95 % from", "format": ",.4~r"},
      {"field": "high", "title": "to", "format": ",.4~r"},
      {"field": "n", "title": "runs"}
    ]
  },
  "layer": [
    {"mark": {"type": "line", "strokeWidth": 2},
     "encoding": {"y": {"field": "value", "type": "quantitative", "title": "images per second", "scale": {"zero": true}}}},
    {"mark": {"type": "errorbar", "ticks": {"size": 7}, "rule": {"strokeWidth": 1.5}},
     "encoding": {"y": {"field": "low", "type": "quantitative", "title": "images per second"}, "y2": {"field": "high"}}},
    {"mark": {"type": "point", "filled": true, "size": 50, "opacity": 1},
     "encoding": {"y": {"field": "value", "type": "quantitative"}}}
  ]
})json";

bool is_numeric(const Factor& factor) {
  std::set<double> values;
  for (const auto& value : factor.values) {
    if (!value.is_number()) return false;
    values.insert(value.get<double>());
  }
  return values.size() >= 2;
}

const Factor* factor_of_the_axis(const std::vector<Factor>& factors) {
  for (const auto& factor : factors)
    if (factor.name == "batch" && is_numeric(factor)) return &factor;
  const auto found = std::find_if(factors.begin(), factors.end(), is_numeric);
  return found == factors.end() ? nullptr : &*found;
}

/// "precision bf16, mode async"; what remains of a label without the factor of the axis.
std::string line_name(const Cell& cell, const std::vector<Factor>& factors, const std::string& axis) {
  std::string name;
  for (const auto& factor : factors)
    if (factor.name != axis && factor.values.size() > 1 && cell.factors.contains(factor.name))
      name += fmt::format("{}{} {}", name.empty() ? "" : ", ", in_words(factor.name),
                          factor_text(cell.factors[factor.name]));
  return name.empty() ? "all" : name;
}

/// A logarithmic axis where the values span more than a factor of four, as powers of two do.
Json axis_of(const Factor& factor) {
  std::set<double> values;
  for (const auto& value : factor.values) values.insert(value.get<double>());
  Json x{{"field", "x"}, {"type", "quantitative"}, {"title", in_words(factor.name)}};
  x["axis"] = {{"grid", false}, {"labelOverlap", "greedy"}, {"format", "~r"}};
  if (values.size() <= 12) x["axis"]["values"] = values;
  const bool wide = *values.begin() > 0 && *values.rbegin() / *values.begin() >= 4;
  x["scale"] = wide ? Json{{"type", "log"}, {"base", 2}, {"nice", false}, {"padding", 16}}
                    : Json{{"zero", false}, {"nice", false}, {"padding", 16}};
  return x;
}

Drawing draw_throughput(const Document& document) {
  const auto& factors = document.experiment.factors;
  const auto* axis = factor_of_the_axis(factors);
  if (!axis) return {};
  Json rows = Json::array();
  std::vector<std::string> lines;
  for (const auto* cell : by_speed(document.cells)) {
    const auto speed = images_per_s(*cell);
    const auto x = cell->cell.factors.find(axis->name);
    if (!std::isfinite(speed.value) || x == cell->cell.factors.end() || !x->is_number()) continue;
    Json row{{"x", *x}, {"line", line_name(cell->cell, factors, axis->name)}, {"label", cell->cell.label}};
    add_estimate(row, speed);
    const auto& line = row["line"].get_ref<const std::string&>();
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    rows.push_back(std::move(row));
  }
  if (rows.size() < 2) return {};
  const auto description = fmt::format(
      "Line chart of images per second against {}, {}, with 95 % intervals.", in_words(axis->name),
      lines.size() == 1 ? "one line" : fmt::format("{} lines", lines.size()));
  Json spec = specification(template_text, description, std::move(rows));
  spec["encoding"]["x"] = axis_of(*axis);
  spec["encoding"]["color"]["scale"] = colour_scale(lines);
  if (lines.size() == 1) spec["encoding"]["color"]["legend"] = nullptr;
  return {
      .panels = {
          {.caption = "images/s against " + in_words(axis->name), .description = description, .spec = spec}}};
}

}  // namespace

extern const Chart throughput_chart;
const Chart throughput_chart{
    "throughput", "How speed scales",
    "Each point is a setting, each line joins the settings that differ in nothing else. Bars "
    "show the 95 % interval: where those of two points overlap widely, the difference may be "
    "chance.",
    draw_throughput};

}  // namespace neph::report
