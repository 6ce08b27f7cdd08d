// The distribution of the time per batch, on an axis that gives the slowest tenth, hundredth, thousandth the
// same room: x = 1/(1-q), logarithmic (as in the percentile plots of Tene's HdrHistogram).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/percentile.hpp"
#include "core/units.hpp"
#include "record/samples.hpp"
#include "report/charts/charts.hpp"
#include "report/charts/thin.hpp"
#include "report/charts/vega.hpp"
#include "report/percentile.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_points = 20000;  // of all configurations together
constexpr std::size_t most_per_cell = 500;

constexpr std::string_view template_text = R"json({
  "height": 320,
  "encoding": {
    "x": {"field": "x", "type": "quantitative", "title": "share that was done by then",
          "scale": {"type": "log", "nice": false, "domainMin": 1},
          "axis": {"values": [1, 2, 4, 10, 100, 1000, 10000, 100000], "grid": true, "labelOverlap": "greedy",
                   "labelExpr": "datum.value == 1 ? '0 %' : datum.value == 2 ? '50 %' : datum.value == 4 ? '75 %' : datum.value == 10 ? '90 %' : datum.value == 100 ? '99 %' : datum.value == 1000 ? '99.9 %' : datum.value == 10000 ? '99.99 %' : '99.999 %'"}},
    "color": {"field": "name", "type": "nominal", "title": null, "sort": null}
  },
  "layer": [
    {"transform": [{"filter": "datum.curve"}, {"flatten": ["x", "y"]}],
     "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.75},
     "encoding": {"y": {"field": "y", "type": "quantitative"}, "detail": {"field": "label"}}},
    {"transform": [{"filter": "!datum.curve"}],
     "mark": {"type": "errorbar", "ticks": {"size": 6}},
     "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
    {"transform": [{"filter": "!datum.curve"}],
     "mark": {"type": "point", "filled": true, "size": 42, "opacity": 1},
     "encoding": {"y": {"field": "value", "type": "quantitative"},
       "tooltip": [
         {"field": "label", "title": "configuration"},
         {"field": "quantile", "title": "quantile"},
         {"field": "value", "title": "ms", "format": ".4~r"},
         {"field": "low", "title": "95 % from", "format": ".4~r"},
         {"field": "high", "title": "to", "format": ".4~r"},
         {"field": "n", "title": "samples"}
       ]}}
  ]
})json";

/// Over all repeats of the cell.
std::vector<double> all_latencies_ms(const std::vector<Run>& runs, std::int64_t cell) {
  std::vector<double> all;
  for (const auto& run : runs) {
    if (run.cell != cell || run.status != RunStatus::ok) continue;
    const auto own = latencies_ms(run.result);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

Json rounded_list(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}

/// 1, 2 and 5 of each power of ten within the range: lines of a logarithmic axis that can still be told
/// apart.
Json lines_between(double least, double most) {
  Json lines = Json::array();
  const auto first = static_cast<int>(std::floor(std::log10(least)));
  for (int exponent = first; std::pow(10, exponent) <= most; ++exponent)
    for (const double step : {1.0, 2.0, 5.0})
      if (const double line = step * std::pow(10, exponent); line >= least && line <= most)
        lines.push_back(rounded(line));
  return lines;
}

/// The smallest and the largest time that the rows show.
std::pair<double, double> range_of(const Json& rows) {
  std::pair range{std::numeric_limits<double>::infinity(), 0.0};
  const auto see = [&](const Json& value) {
    if (!value.is_number()) return;
    range.first = std::min(range.first, value.get<double>());
    range.second = std::max(range.second, value.get<double>());
  };
  for (const auto& row : rows) {
    see(row.value("value", Json()));
    for (const auto& value : row.value("y", Json::array())) see(value);
  }
  return range;
}

/// An interval may reach below zero, which a logarithmic axis does not have: it is cut where the axis ends.
void cut_intervals(Json& rows, double least) {
  for (auto& row : rows)
    if (const auto low = row.find("low"); low != row.end() && low->is_number() && low->get<double>() < least)
      *low = rounded(least);
}

Drawing draw_latency(const Document& document) {
  const CellNames names(document);
  const auto points = std::clamp<std::size_t>(most_points / std::max<std::size_t>(document.cells.size(), 1),
                                              40, most_per_cell);
  Json rows = Json::array();
  bool thinned = false, curves = false, quantiles = false;
  auto order = by_speed(document);
  std::reverse(order.begin(), order.end());  // what is drawn last lies on top
  for (const auto* cell : order) {
    const Json row{{"name", names.of(cell->cell.index)}, {"label", cell->cell.label}};
    auto samples = all_latencies_ms(document.runs, cell->cell.index);
    thinned |= samples.size() > points;
    if (const auto curve = upper_quantiles(std::move(samples), points); curve.x.size() > 1) {
      curves = true;
      rows.push_back(row);
      rows.back().update({{"curve", true}, {"x", rounded_list(curve.x)}, {"y", rounded_list(curve.y)}});
    }
    for (const auto& [name, unused] : cell->latency_ms) {
      const auto q = percentile_of(name);
      const auto* estimate = find_shown(cell->latency_ms, name);
      if (!q || !estimate) continue;
      quantiles = true;
      rows.push_back(row);
      rows.back().update({{"quantile", name}, {"x", rounded(1 / (1 - *q))}});
      add_estimate(rows.back(), *estimate);
    }
  }
  if (rows.empty()) return {};
  const auto axis = worded("{latency}, ms", view_of(document));
  const auto description =
      fmt::format("Lines: {} by the share that was done by then, for {}; quantiles with 95 % intervals.",
                  axis, counted(std::ssize(document.cells), "configuration"));
  const auto [least, most] = range_of(rows);
  const bool wide = least > 0 && most / least > 20;
  if (wide) cut_intervals(rows, least / 2);
  Json spec = specification(template_text, description, std::move(rows));
  if (!quantiles) spec["layer"].erase(spec["layer"].begin() + 1, spec["layer"].end());
  if (!curves) spec["layer"].erase(0);  // marks without any extent make Vega complain
  Json& y = spec["layer"][0]["encoding"]["y"];
  y["title"] = axis;
  for (auto& layer : spec["layer"]) layer["encoding"]["y"]["title"] = axis;
  if (wide) y["axis"] = {{"values", lines_between(least, most)}};
  y["scale"] = wide ? Json{{"type", "log"}, {"nice", false}} : Json{{"zero", true}};
  spec["encoding"]["color"]["scale"] = names.scale();
  if (names.single()) spec["encoding"]["color"]["legend"] = nullptr;
  std::string note;
  if (thinned)
    note =
        fmt::format("Thinned: at most {} of each configuration's {} are drawn, denser towards the slowest.",
                    points, view_of(document).samples);
  return {.panels = {{.caption = axis, .description = description, .spec = spec}}, .note = note};
}

}  // namespace

const Chart latency_chart{
    "latency", "How long one {sample} takes",
    "Each line shows all {samples} of a configuration, sorted: half of them were done within the time at "
    "50 %, all but one in a hundred within the time at 99 %. Circles mark quantiles with their 95 % "
    "intervals, as far as there were enough {samples} for one.",
    draw_latency};

}  // namespace neph::report
