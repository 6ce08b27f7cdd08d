// Every run as a dot, in the order in which they ran, against the mean of its configuration: drift becomes a
// slope.
#include <cmath>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/vega.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "height": 240,
  "layer": [
    {"mark": {"type": "rule", "color": "var(--muted, #8a8f98)"}, "encoding": {"y": {"datum": 0}}},
    {"mark": {"type": "point", "filled": true, "size": 45, "opacity": 0.9},
     "encoding": {
       "x": {"field": "position", "type": "quantitative", "title": "place in the order of runs",
             "axis": {"grid": false, "tickMinStep": 1, "format": "d"}, "scale": {"zero": false, "nice": false, "padding": 8}},
       "y": {"field": "deviation", "type": "quantitative", "title": "from the configuration's mean, %",
             "axis": {"format": "+~r"}},
       "color": {"field": "name", "type": "nominal", "title": null, "sort": null},
       "tooltip": [
         {"field": "label", "title": "configuration"},
         {"field": "run", "title": "run"},
         {"field": "value", "format": ",.4~r"},
         {"field": "deviation", "title": "from the mean, %", "format": "+.2f"}
       ]}}
  ]
})json";

Drawing draw_repeats(const Document& document) {
  std::map<std::int64_t, const CellSummary*> cells;
  for (const auto& cell : document.cells) cells[cell.cell.index] = &cell;
  const CellNames names(document);

  Json rows = Json::array();
  for (const auto& run : document.runs) {
    const auto speed = speed_of(document, run);
    const auto* cell = cells[run.cell];
    const double mean = speed && cell ? speed_of(document, *cell).value : 0;
    if (!(mean > 0) || cell->runs_ok < 2) continue;
    rows.push_back({{"position", run.position + 1},
                    {"run", run.id},
                    {"name", names.of(run.cell)},
                    {"label", cell->cell.label},
                    {"value", rounded(*speed)},
                    {"deviation", rounded(100 * (*speed / mean - 1))}});
  }
  if (rows.empty()) return {};
  const auto description = fmt::format(
      "Dots: {} runs in the order they ran, each as deviation from the mean of its configuration in percent.",
      rows.size());
  Json spec = specification(template_text, description, std::move(rows));
  spec["layer"][1]["encoding"]["tooltip"][2]["title"] = view_of(document).rate;
  Json& colour = spec["layer"][1]["encoding"]["color"];
  colour["scale"] = names.scale();
  if (names.single()) colour["legend"] = nullptr;
  return {.panels = {{.caption = "deviation of each run", .description = description, .spec = spec}}};
}

}  // namespace

const Chart repeats_chart{
    "repeats", "Every run, in the order they ran",
    "How far each run lies from the mean of its configuration. The order was shuffled: a slope is drift of "
    "the machine, not an effect of configurations.",
    draw_repeats};

}  // namespace neph::report
