// The layers that take longest, each a bar in the colour of its kind.
#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "report/charts/vega.hpp"
#include "report/profile/figures.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_bars = 40;
constexpr std::size_t bar_height = 18;

constexpr std::string_view template_text = R"json({
  "encoding": {
    "y": {"field": "place", "type": "ordinal", "axis": null, "title": null},
    "tooltip": [
      {"field": "layer"},
      {"field": "kind"},
      {"field": "kernel"},
      {"field": "value", "title": "ms", "format": ".4~r"},
      {"field": "low", "title": "95 % from", "format": ".4~r"},
      {"field": "high", "title": "to", "format": ".4~r"},
      {"field": "share", "title": "share", "format": ".1%"},
      {"field": "fused", "title": "fused into it"}
    ]
  },
  "layer": [
    {"mark": {"type": "bar", "height": 12},
     "encoding": {"x": {"field": "value", "type": "quantitative", "title": "ms of an inference"},
                  "color": {"field": "kind", "type": "nominal", "title": null, "sort": null}}},
    {"mark": {"type": "rule", "strokeWidth": 1.5},
     "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}},
    {"mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 11, "limit": 260},
     "encoding": {"x": {"field": "high", "type": "quantitative"}, "text": {"field": "layer"}}}
  ]
})json";

Json row_of(const ProfiledLayer& layer, std::size_t place) {
  const auto ms = scaled(layer.self_s, 1e3);
  return {{"place", place},
          {"layer", printable(layer.name)},
          {"kind", printable(layer.kind)},
          {"kernel", printable(layer.kernel)},
          {"value", rounded(ms.value)},
          {"low", rounded(std::max(0.0, ms.low.value_or(ms.value)))},  // no time is below 0
          {"high", rounded(ms.high.value_or(ms.value))},
          {"share", rounded(layer.share)},
          {"fused", printable(fused_text(layer))}};
}

Drawing draw_layer_times(const Profile& profile) {
  Json rows = Json::array();
  std::vector<std::string> kinds;
  for (const auto& layer : profile.layers) {
    if (rows.size() == most_bars || layer.self_s.value <= 0) break;
    if (const auto kind = printable(layer.kind); std::ranges::find(kinds, kind) == kinds.end())
      kinds.push_back(kind);
    rows.push_back(row_of(layer, rows.size()));
  }
  if (rows.empty()) return {};
  const auto description = fmt::format("Bar chart of the time that each of {} takes, by kind.",
                                       counted(std::ssize(rows), "layer"));
  const auto drawn = rows.size();
  auto spec = specification(template_text, description, std::move(rows));
  spec["height"] = bar_height * drawn;
  spec["layer"][0]["encoding"]["color"]["scale"] = colour_scale(kinds);
  Drawing drawing{.panels = {{.caption = "", .description = description, .spec = std::move(spec)}}};
  if (drawn < profile.layers.size())
    drawing.note = fmt::format("The {} that take longest of {}; the table has all.", drawn,
                               counted(std::ssize(profile.layers), "layer"));
  return drawing;
}

}  // namespace

const ProfileChart layer_times_chart{"layers", "Time by layer",
                                     "Each bar is a layer as the engine runs it, in the colour of what it "
                                     "does; the line is the 95 % interval of "
                                     "its mean over the repeats.",
                                     draw_layer_times};

}  // namespace neph::report
