// Pair by pair in the order in which they were measured: whether the difference came and went.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"
#include "report/charts/chart.hpp"
#include "report/charts/vega.hpp"
#include "report/comparison_words.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_panels = 6;

constexpr std::string_view template_text = R"json({
  "height": 160,
  "encoding": {
    "x": {"field": "pair", "type": "quantitative", "title": "pair", "axis": {"tickMinStep": 1, "format": "d"},
          "scale": {"nice": false, "padding": 12, "zero": false}},
    "tooltip": [{"field": "pair"}, {"field": "change", "title": "change, %", "format": "+.3~r"},
                {"field": "baseline"}, {"field": "candidate"}]
  },
  "layer": [
    {"mark": {"type": "point", "filled": true, "size": 60, "opacity": 1, "color": "var(--series-1, #0072b2)"},
     "encoding": {"y": {"field": "change", "type": "quantitative", "title": "change, %"}}},
    {"data": {"values": [{"change": 0}]}, "mark": {"type": "rule", "strokeDash": [5, 4]},
     "encoding": {"x": {"value": 0}, "x2": {"value": "width"}, "y": {"field": "change", "type": "quantitative"},
                  "color": {"value": "var(--muted, #59616d)"}, "tooltip": {"value": null}}}
  ]
})json";

double change_of(const ComparedMetric& row, std::size_t pair) {
  return 100 * (row.candidate_runs[pair] / row.baseline_runs[pair] - 1);
}

Json rows_of(const ComparedMetric& row) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < row.baseline_runs.size(); ++i)
    rows.push_back({{"pair", i + 1},
                    {"change", rounded(change_of(row, i))},
                    {"baseline", value_text(row.metric, row.baseline_runs[i])},
                    {"candidate", value_text(row.metric, row.candidate_runs[i])}});
  return rows;
}

bool has_pairs(const ComparedMetric& row) {
  return row.is_paired && row.baseline_runs.size() > 1 &&
         row.baseline_runs.size() == row.candidate_runs.size();
}

/// Of all panels, so that they can be held against each other; the threshold is in it.
Json domain_of(const std::vector<const ComparedMetric*>& rows, double threshold) {
  double low = -100 * threshold, high = 100 * threshold;
  for (const auto* row : rows)
    for (std::size_t i = 0; i < row->baseline_runs.size(); ++i)
      if (const double change = change_of(*row, i); std::isfinite(change))
        low = std::min(low, change), high = std::max(high, change);
  const double space = 0.05 * (high - low);
  return {rounded(low - space), rounded(high + space)};
}

Drawing draw_pairs(const Comparison& comparison) {
  std::vector<const ComparedMetric*> rows;
  for (const auto* row : gravest_first(comparison))
    if (has_pairs(*row)) rows.push_back(row);
  const auto all = rows.size();
  rows.resize(std::min(all, most_panels));
  Drawing drawing;
  for (const auto* row : rows) {
    const auto name = printable(name_of(*row, comparison));
    Panel panel{
        .caption = name,
        .description = fmt::format("Dot chart of the change in each pair of {}, in order of time.", name),
        .spec = {}};
    panel.spec = specification(template_text, panel.description, rows_of(*row));
    panel.spec["layer"][0]["encoding"]["y"]["scale"] = {{"domain", domain_of(rows, comparison.threshold)},
                                                        {"nice", false}};
    drawing.panels.push_back(std::move(panel));
  }
  if (all > most_panels) drawing.note = fmt::format("The gravest {} of {} are shown.", most_panels, all);
  return drawing;
}

}  // namespace

const ComparisonChart pairs_chart{
    "pairs", "Pair by pair",
    "A dot is one pair, in the order of time; all panels have one axis. A difference of the candidate's is "
    "there in all pairs. One that comes and goes is something else's.",
    draw_pairs};

}  // namespace neph::report
