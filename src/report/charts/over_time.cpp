#include "report/charts/over_time.hpp"

#include <algorithm>

#include "record/phases.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {
namespace {

// Phases lie in rows with `begin`, series in rows with lists `t` and `v`.
constexpr std::string_view template_text = R"json({
  "height": 170,
  "transform": [{"filter": "datum.cell == cell"}],
  "encoding": {"x": {"field": "t", "type": "quantitative", "scale": {"nice": false}, "axis": {"grid": false}}},
  "resolve": {"scale": {"color": "independent"}},
  "layer": [
    {"transform": [{"filter": "datum.phase == 'measure' || datum.phase == 'learn'"}],
     "mark": {"type": "rect", "color": "var(--shade, #eef1f5)"},
     "encoding": {"x": {"field": "begin", "type": "quantitative"}, "x2": {"field": "end"}}},
    {"transform": [{"filter": "isValid(datum.t)"}, {"flatten": ["t", "v"]}],
     "mark": {},
     "encoding": {
       "y": {"field": "v", "type": "quantitative", "scale": {"zero": true}},
       "color": {"field": "series", "type": "nominal", "title": null, "sort": null}}},
    {"transform": [{"filter": "isValid(datum.phase) && datum.phase != 'measure' && datum.phase != 'learn'"}],
     "mark": {"type": "rect"},
     "encoding": {
       "x": {"field": "begin", "type": "quantitative"}, "x2": {"field": "end"},
       "y": {"value": -9}, "y2": {"value": -3},
       "color": {"field": "phase", "type": "nominal", "title": null, "sort": null, "legend": null},
       "tooltip": [{"field": "phase", "title": "phase"},
                   {"field": "begin", "title": "from (s)", "format": ".3~f"},
                   {"field": "end", "title": "to (s)", "format": ".3~f"}]}}
  ]
})json";

}  // namespace

Json over_time(const OverTime& how, const std::vector<std::string>& labels, const std::string& description,
               Json rows) {
  const bool is_measured = std::ranges::any_of(rows, [](const Json& row) {
    const auto phase = row.value("phase", "");
    return phase == phase::measure.name || phase == phase::learn.name;
  });
  Json spec = specification(template_text, description, std::move(rows));
  spec["params"] = Json::array({{{"name", "cell"}, {"value", 0}}});
  spec["encoding"]["x"]["title"] = how.time;
  Json& series = spec["layer"][1];
  series["mark"] = how.is_stacked ? Json{{"type", "area"}, {"opacity", 0.85}, {"line", false}}
                                  : Json{{"type", "line"}, {"strokeWidth", 1.75}};
  series["encoding"]["y"]["title"] = how.axis;
  series["encoding"]["y"]["stack"] = how.is_stacked ? Json("zero") : Json(nullptr);
  series["encoding"]["color"]["scale"] = colour_scale(labels);
  if (labels.size() == 1) series["encoding"]["color"]["legend"] = nullptr;
  if (!how.has_phases)
    spec["layer"] = Json::array({spec["layer"][1]});
  else if (!is_measured)
    spec["layer"].erase(0);  // marks without any extent make Vega complain
  return spec;
}

}  // namespace neph::report
