// A bar per configuration, fastest first. The label stands above its bar and not beside it, so that long ones
// fit on a phone.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/vega.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "encoding": {
    "y": {"field": "place", "type": "ordinal", "axis": null},
    "tooltip": [
      {"field": "label", "title": "configuration"},
      {"field": "value", "format": ",.4~r"},
      {"field": "low", "title": "95 % from", "format": ",.4~r"},
      {"field": "high", "title": "to", "format": ",.4~r"},
      {"field": "n", "title": "runs"},
      {"field": "verdict", "title": "verdict"}
    ]
  },
  "layer": [
    {"mark": {"type": "bar", "height": 12, "yOffset": 8, "cornerRadiusEnd": 2},
     "encoding": {
       "x": {"field": "value", "type": "quantitative", "scale": {"zero": true}},
       "color": {"field": "colour", "type": "nominal", "title": null, "sort": null}}},
    {"mark": {"type": "rule", "yOffset": 8, "strokeWidth": 1.5, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}},
    {"mark": {"type": "tick", "yOffset": 8, "size": 10, "thickness": 1.5, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "low", "type": "quantitative"}}},
    {"mark": {"type": "tick", "yOffset": 8, "size": 10, "thickness": 1.5, "color": "var(--ink, #1c1f24)"},
     "encoding": {"x": {"field": "high", "type": "quantitative"}}},
    {"mark": {"type": "text", "align": "left", "yOffset": -7, "limit": {}},
     "encoding": {"x": {"value": 0}, "text": {"field": "label"}}},
    {"mark": {"type": "text", "align": "right", "yOffset": -7},
     "encoding": {"x": {"value": "width"}, "text": {"field": "text"}}}
  ]
})json";

std::string words_of(const Document& document, const CellSummary& cell, bool say_verdict) {
  if (cell.runs_ok == 0) return "no result";
  auto words = estimate_text(speed_of(document, cell));
  if (say_verdict && cell.verdict != Verdict::valid) words += fmt::format(", {}", enum_name(cell.verdict));
  return words;
}

/// What a bar's colour means: how the network is reached, where that varies; the verdict, where it does not.
class Colours {
 public:
  Colours(const Document& document, const std::vector<const CellSummary*>& order)
      : experiment_(document.experiment) {
    for (const auto& way : ways_of(document)) ways_.push_back(way.name());
    doubts_ = std::any_of(order.begin(), order.end(),
                          [](const auto* cell) { return cell->verdict != Verdict::valid; });
  }
  bool by_way() const { return ways_.size() > 1; }
  bool needs_legend() const { return by_way() || doubts_; }
  std::string of(const CellSummary& cell) const {
    return by_way() ? way_of(cell, experiment_).name() : std::string(enum_name(cell.verdict));
  }
  Json scale() const {
    if (by_way()) return colour_scale(ways_);
    return {{"domain", {"valid", "doubtful", "invalid"}},
            {"range", {series_colour(0), series_colour(1), series_colour(3)}}};
  }

 private:
  const Experiment& experiment_;
  std::vector<std::string> ways_;
  bool doubts_ = false;
};

/// The fastest in-process, with and without files: what every other configuration is measured against.
struct Reference {
  std::string name;
  std::string words;  ///< in a sentence
  double speed;
};

std::vector<Reference> references(const Document& document, const std::vector<const CellSummary*>& order) {
  std::vector<Reference> found;
  const auto ways = ways_of(document);
  const auto add = [&](std::string name, std::string words, bool with_files) {
    for (const auto* cell : order)
      if (cell->verdict != Verdict::invalid && std::isfinite(speed_of(document, *cell).value) &&
          (ways.size() < 2 || way_of(*cell, document.experiment).architecture == "in-process") &&
          (field_of(*cell, document.experiment, "files") != "off") == with_files) {
        found.push_back({std::move(name), std::move(words), speed_of(document, *cell).value});
        return;
      }
  };
  if (ways.size() > 1) add("fastest in-process", "the fastest in-process", true);
  const auto varies = [&](const Factor& factor) {
    return factor.name == "files" && factor.values.size() > 1;
  };
  if (std::any_of(document.experiment.factors.begin(), document.experiment.factors.end(), varies))
    add(ways.size() > 1 ? "in-process without files" : "without files",
        "tensors that lie ready in memory, without files", false);
  return found;
}

Drawing draw_settings(const Document& document) {
  const auto order = by_speed(document);
  if (order.size() < 2 || !std::isfinite(speed_of(document, *order[0]).value)) return {};
  const auto& view = view_of(document);
  const Colours colours(document, order);
  Json rows = Json::array();
  std::size_t widest = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto& cell = *order[place];
    const auto words = words_of(document, cell, colours.by_way());
    Json row{{"place", place},
             {"label", colours.by_way() ? short_label(cell, document.experiment) : cell.cell.label},
             {"colour", colours.of(cell)},
             {"verdict", enum_name(cell.verdict)},
             {"text", words}};
    add_estimate(row, speed_of(document, cell));
    widest = std::max(widest, display_width(words));
    rows.push_back(std::move(row));
  }
  const auto description =
      fmt::format("Bar chart of {} of {} configurations with 95 % intervals; the best mean is that of {}.",
                  view.main.front().unit, order.size(), order[0]->cell.label);
  Json spec = specification(template_text, description, std::move(rows));
  spec["encoding"]["tooltip"][1]["title"] = view.rate;
  spec["layer"][0]["encoding"]["x"]["title"] = view.main.front().unit;
  Json& colour = spec["layer"][0]["encoding"]["color"];
  colour["scale"] = colours.scale();
  spec["height"] = row_height * order.size();
  spec["layer"][4]["mark"]["limit"] = {{"expr", fmt::format("width - {}", 7 * widest + 16)}};
  if (!colours.needs_legend()) colour["legend"] = nullptr;
  const auto lines = references(document, order);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (auto& layer :  // their names above the bars, one above the other
         line_across("x", lines[i].speed, lines[i].name, true, -4 - 13.0 * static_cast<double>(i)))
      spec["layer"].push_back(std::move(layer));
  Drawing drawing{
      .panels = {{.caption = worded("{rate}, 95 % CI", view), .description = description, .spec = spec}}};
  std::string names;
  for (const auto& line : lines) names += (names.empty() ? "" : ", and ") + line.words;
  if (!lines.empty())
    drawing.reading = fmt::format("{} what the others are measured against: {}.",
                                  lines.size() == 1 ? "The dashed line marks" : "Dashed lines mark", names);
  return drawing;
}

}  // namespace

const Chart settings_chart{
    "settings", "All configurations, fastest first",
    "The line across the end of a bar is the 95 % interval of {rate} over the repeats.", draw_settings};

}  // namespace neph::report
