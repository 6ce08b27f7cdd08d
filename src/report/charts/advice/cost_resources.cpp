// Cost and time by how many cores and which GPUs are used, bare and in containers.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/advice/money.hpp"
#include "report/charts/chart.hpp"

namespace neph::report {
namespace {

constexpr std::string_view template_text = R"json({
  "height": 260,
  "encoding": {
    "x": {"field": "resources", "type": "nominal", "sort": null, "title": null, "axis": {"labelAngle": 0, "labelLimit": 90}},
    "xOffset": {"field": "place", "type": "nominal"},
    "color": {"field": "place", "type": "nominal", "title": null},
    "tooltip": [
      {"field": "configuration"}, {"field": "offer"},
      {"field": "value", "format": ",.4~r"},
      {"field": "low", "title": "95 % from", "format": ",.4~r"},
      {"field": "high", "title": "to", "format": ",.4~r"}
    ]
  },
  "layer": [
    {"mark": {"type": "rule", "strokeWidth": 1.5},
     "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
    {"mark": {"type": "point", "filled": true, "size": 70, "opacity": 1},
     "encoding": {"y": {"field": "value", "type": "quantitative", "scale": {"zero": true}}}}
  ]
})json";

using Resources = std::tuple<std::int64_t, std::string, double, std::string>;  ///< GPUs, model, cores, place

std::string words_of(const AdvisedCandidate& candidate) {
  if (candidate.gpus > 0)
    return fmt::format("{} {}", candidate.gpus, candidate.gpu.empty() ? "GPU" : candidate.gpu);
  return candidate.cores ? counted(static_cast<std::int64_t>(*candidate.cores), "core") : "any";
}

std::string place_of(const AdvisedCandidate& candidate) {
  if (candidate.place.empty()) return "measured";
  return candidate.place == "process" ? "bare" : "in a container";
}

/// Of each number of cores and GPUs the cheapest; candidates are in the order of their costs.
std::map<Resources, const AdvisedCandidate*> cheapest_of(const Advice& advice) {
  std::map<Resources, const AdvisedCandidate*> cheapest;
  for (const auto& candidate : advice.candidates)
    if (!candidate.is_predicted)
      cheapest.try_emplace({candidate.gpus, candidate.gpu,
                            candidate.gpus > 0 ? 0 : candidate.cores.value_or(0), place_of(candidate)},
                           &candidate);
  return cheapest;
}

Panel panel_of(const std::map<Resources, const AdvisedCandidate*>& cheapest, const std::string& axis,
               const std::vector<std::string>& places,
               const std::function<void(Json&, const AdvisedCandidate&)>& put) {
  Json rows = Json::array();
  for (const auto& [resources, candidate] : cheapest) {
    rows.push_back({{"resources", words_of(*candidate)},
                    {"place", place_of(*candidate)},
                    {"configuration", candidate->configuration},
                    {"offer", candidate->offer}});
    put(rows.back(), *candidate);
  }
  const auto description = fmt::format("{} by cores and GPUs, of the cheapest candidate of each.", axis);
  Panel panel{.caption = axis,
              .description = description,
              .spec = specification(template_text, description, std::move(rows))};
  panel.spec["layer"][1]["encoding"]["y"]["title"] = axis;
  panel.spec["encoding"]["color"]["scale"] = colour_scale(places);
  return panel;
}

Drawing draw_cost_resources(const Advice& advice) {
  const auto cheapest = cheapest_of(advice);
  if (cheapest.size() < 2) return {};
  std::set<std::string> names;
  double longest = 0;
  for (const auto& [resources, candidate] : cheapest) {
    names.insert(std::get<3>(resources));
    longest = std::max(longest, std::isfinite(candidate->seconds.value) ? candidate->seconds.value : 0);
  }
  const std::vector<std::string> places(names.begin(), names.end());
  const auto currency = advice.candidates.front().cost.currency;
  Drawing drawing;
  drawing.panels.push_back(
      panel_of(cheapest, currency, places, [](Json& row, const AdvisedCandidate& candidate) {
        row["value"] = rounded(number_of(candidate.cost));
        row["low"] = rounded(candidate.cost_low);
        row["high"] = rounded(candidate.cost_high);
      }));
  if (advice.rate_per_s) return drawing;
  const auto unit = time_unit_for(longest);
  drawing.panels.push_back(
      panel_of(cheapest, "done in, " + unit.name, places, [&](Json& row, const AdvisedCandidate& candidate) {
        row["value"] = rounded(candidate.seconds.value / unit.seconds);
        row["low"] = candidate.seconds.low ? rounded(*candidate.seconds.low / unit.seconds) : Json(nullptr);
        row["high"] =
            candidate.seconds.high ? rounded(*candidate.seconds.high / unit.seconds) : Json(nullptr);
      }));
  return drawing;
}

}  // namespace

extern const AdviceChart cost_resources_chart;
const AdviceChart cost_resources_chart{
    "cost-resources", "Cost by cores and GPUs",
    "Of each number of cores, and of each GPU, the cheapest candidate, bare and in a "
    "container where both were measured. Lines are 95 % intervals.",
    draw_cost_resources};

}  // namespace neph::report
