// Arithmetic per second against arithmetic per byte, below the machine's roof (Williams, Waterman, Patterson,
// CACM 52(4), 2009).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "report/charts/vega.hpp"
#include "report/profile/figures.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "height": 360,
  "layer": [
    {"mark": {"type": "point", "filled": true, "opacity": 0.75},
     "encoding": {
       "x": {"field": "intensity", "type": "quantitative", "scale": {"type": "log", "nice": false, "padding": 16},
             "title": "FLOP per byte read or written"},
       "y": {"field": "speed", "type": "quantitative", "scale": {"type": "log", "nice": false, "padding": 16},
             "title": "GFLOP/s"},
       "size": {"field": "ms", "type": "quantitative", "legend": null, "scale": {"range": [20, 500]}},
       "color": {"field": "kind", "type": "nominal", "title": null, "sort": null},
       "tooltip": [
         {"field": "layer"},
         {"field": "kind"},
         {"field": "ms", "format": ".4~r"},
         {"field": "speed", "title": "GFLOP/s", "format": ".4~r"},
         {"field": "intensity", "title": "FLOP per byte", "format": ".4~r"},
         {"field": "of_roof", "title": "of the roof", "format": ".1%"}
       ]}}
  ]
})json";

struct Point {
  const ProfiledLayer* layer;
  double intensity, flop_per_s;
};

std::vector<Point> points_of(const Profile& profile) {
  std::vector<Point> points;
  for (const auto& layer : profile.layers) {
    const auto speed = speeds_of(profile, layer).flop_per_s;
    if (speed && layer.bytes && *layer.bytes > 0)
      points.push_back({&layer, *layer.flop / *layer.bytes, *speed});
  }
  return points;
}

double roof_at(const Profile& profile, double intensity) {
  return std::min(*profile.peak_flop_per_s, intensity * *profile.peak_bytes_per_s);
}

/// The roof from the least to the greatest intensity, with its ridge where that lies between.
Json roof_layer(const Profile& profile, double least, double most) {
  const double ridge = *profile.peak_flop_per_s / *profile.peak_bytes_per_s;
  Json values = Json::array();
  for (const double at : {least, std::clamp(ridge, least, most), most})
    values.push_back({{"intensity", rounded(at)}, {"speed", rounded(roof_at(profile, at) / 1e9)}});
  return {{"data", {{"values", std::move(values)}}},
          {"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"strokeDash", {5, 4}}}},
          {"encoding",
           {{"x", {{"field", "intensity"}, {"type", "quantitative"}}},
            {"y", {{"field", "speed"}, {"type", "quantitative"}}},
            {"color", {{"value", "var(--invalid, #b03a00)"}}},
            {"tooltip", {{"value", nullptr}}}}}};
}

Drawing draw_roofline(const Profile& profile) {
  const auto points = points_of(profile);
  if (points.empty() || !profile.peak_flop_per_s) return {};
  Json rows = Json::array();
  std::vector<std::string> kinds;
  for (const auto& [layer, intensity, flop_per_s] : points) {
    if (const auto kind = printable(layer->kind); std::ranges::find(kinds, kind) == kinds.end())
      kinds.push_back(kind);
    rows.push_back({{"layer", printable(layer->name)},
                    {"kind", printable(layer->kind)},
                    {"ms", rounded(1e3 * layer->self_s.value)},
                    {"speed", rounded(flop_per_s / 1e9)},
                    {"intensity", rounded(intensity)},
                    {"of_roof", rounded(flop_per_s / roof_at(profile, intensity))}});
  }
  const auto [least, most] = std::ranges::minmax_element(points, {}, &Point::intensity);
  const auto description =
      fmt::format("Scatter chart: GFLOP/s of {} against their FLOP per byte, with the machine's roof.",
                  counted(std::ssize(points), "layer"));
  auto spec = specification(template_text, description, std::move(rows));
  spec["layer"][0]["encoding"]["color"]["scale"] = colour_scale(kinds);
  spec["layer"].push_back(roof_layer(profile, least->intensity, most->intensity));
  return {.panels = {{.caption = "", .description = description, .spec = std::move(spec)}}};
}

}  // namespace

const ProfileChart roofline_chart{"roofline", "How near to the machine's roof",
                                  "Each point is a layer that multiplies and adds, the larger the more time "
                                  "it takes. The dashed line is what "
                                  "the machine can do: as much as its memory feeds, and at most its peak, "
                                  "both measured with as many threads. "
                                  "A point above its slope has its data in caches.",
                                  draw_roofline};

}  // namespace neph::report
