// Cost against time, with the candidates that no other beats in both.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/advice_tables.hpp"
#include "report/charts/advice/money.hpp"
#include "report/charts/chart.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_points = 400;
constexpr double wide = 8;  ///< largest to smallest: an axis of powers

constexpr std::string_view template_text = R"json({
  "height": 360,
  "layer": [{"encoding": {
    "x": {"field": "time", "type": "quantitative"},
    "y": {"field": "cost", "type": "quantitative"},
    "color": {"field": "standing", "type": "nominal", "title": null},
    "tooltip": [
      {"field": "configuration"}, {"field": "offer"},
      {"field": "time", "title": "done in", "format": ",.4~r"},
      {"field": "cost", "format": ",.4~r"},
      {"field": "cost_low", "title": "95 % from", "format": ",.4~r"},
      {"field": "cost_high", "title": "to", "format": ",.4~r"},
      {"field": "why"}
    ]
  },
  "layer": [
    {"transform": [{"filter": "datum.place != null"}],
     "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5, "strokeDash": [5, 4], "opacity": 0.5},
     "encoding": {"order": {"field": "place", "type": "quantitative"}, "color": {"value": "var(--muted, #59616d)"},
                  "tooltip": {"value": null}}},
    {"mark": {"type": "rule", "strokeWidth": 1.5},
     "encoding": {"x": {"field": "time_low", "type": "quantitative"}, "x2": {"field": "time_high"}}},
    {"mark": {"type": "rule", "strokeWidth": 1.5},
     "encoding": {"y": {"field": "cost_low", "type": "quantitative"}, "y2": {"field": "cost_high"}}},
    {"mark": {"type": "point", "filled": true, "size": 70, "opacity": 1}}
  ]}]
})json";

std::string standing(const AdvisedCandidate& candidate) {
  if (candidate.why_not == WhyNot::recommended) return "recommended";
  if (candidate.is_predicted) return "predicted only";
  return candidate.is_on_front ? "on the front" : "beaten in both";
}

Json row_of(const AdvisedCandidate& candidate, const TimeUnit& unit, std::optional<std::size_t> place) {
  const auto in_unit = [&](const std::optional<double>& seconds) {
    return seconds ? rounded(*seconds / unit.seconds) : Json(nullptr);
  };
  return {{"configuration", candidate.configuration},
          {"offer", candidate.offer},
          {"standing", standing(candidate)},
          {"why", candidate.why},
          {"place", place ? Json(*place) : Json(nullptr)},
          {"time", in_unit(candidate.seconds.value)},
          {"time_low", in_unit(candidate.seconds.low)},
          {"time_high", in_unit(candidate.seconds.high)},
          {"cost", rounded(number_of(candidate.cost))},
          {"cost_low", rounded(candidate.cost_low)},
          {"cost_high", rounded(candidate.cost_high)}};
}

Json scale_over(double least, double most) {
  if (least > 0 && most / least >= wide) return {{"type", "log"}, {"nice", false}, {"padding", 24}};
  return {{"zero", false}, {"padding", 24}};
}

struct Spread {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

/// Layers without a mark of any extent make Vega complain: a front of one point, intervals that nobody knows.
void drop_empty_layers(Json& spec, std::size_t on_front, const Advice& advice) {
  const bool has_times =
      std::ranges::any_of(advice.candidates, [](const auto& each) { return each.seconds.low.has_value(); });
  const bool has_costs =
      std::ranges::any_of(advice.candidates, [](const auto& each) { return each.cost_low.has_value(); });
  auto& layers = spec["layer"][0]["layer"];
  if (!has_costs) layers.erase(2);
  if (!has_times) layers.erase(1);
  if (on_front < 2) layers.erase(0);
}

void add_limits(Json& spec, const Advice& advice, const TimeUnit& unit) {
  const auto add = [&](Json layers) {
    for (auto& layer : layers) spec["layer"].push_back(std::move(layer));
  };
  if (advice.deadline_s) add(line_across("x", *advice.deadline_s / unit.seconds, "deadline"));
  if (advice.budget) add(line_across("y", number_of(*advice.budget), "budget"));
}

void put_scales(Json& spec, const Spread& times, const Spread& costs, const TimeUnit& unit,
                const std::string& currency) {
  auto& encoding = spec["layer"][0]["encoding"];
  encoding["x"]["title"] = fmt::format("done in, {}", unit.name);
  encoding["y"]["title"] = currency;
  encoding["x"]["scale"] = scale_over(times.least / unit.seconds, times.most / unit.seconds);
  encoding["y"]["scale"] = scale_over(costs.least, costs.most);
  encoding["color"]["scale"] = {
      {"domain", {"recommended", "on the front", "beaten in both", "predicted only"}},
      {"range", {series_colour(1), series_colour(0), std::string(muted_colour), series_colour(2)}}};
}

Drawing draw_cost_time(const Advice& advice) {
  if (advice.rate_per_s || advice.candidates.size() < 2) return {};
  const auto places = shown_candidates(advice, most_points);
  Spread times, costs;
  for (const auto place : places) {
    times.take(advice.candidates[place].seconds.value);
    costs.take(number_of(advice.candidates[place].cost));
  }
  const auto unit = time_unit_for(times.most);
  Json rows = Json::array();
  std::size_t on_front = 0;
  for (auto place = places.rbegin(); place != places.rend();
       ++place) {  // the dearest, which is the fastest, first
    const auto& candidate = advice.candidates[*place];
    rows.push_back(row_of(candidate, unit, candidate.is_on_front ? std::optional(on_front++) : std::nullopt));
  }
  const auto currency = advice.candidates.front().cost.currency;
  const auto description =
      fmt::format("Cost in {} against the time until the result is there, of {}; {} on the front.", currency,
                  counted(std::ssize(places), "candidate"), on_front);
  Json spec = specification(template_text, description, std::move(rows));
  put_scales(spec, times, costs, unit, currency);
  drop_empty_layers(spec, on_front, advice);
  add_limits(spec, advice, unit);
  const auto hidden = advice.candidates.size() - places.size();
  return {.panels = {{.caption = fmt::format("{} against time", currency),
                      .description = description,
                      .spec = spec}},
          .note = hidden == 0 ? "" : fmt::format("Left out: the {} dearest that are beaten in both.", hidden),
          .choices = {}};
}

}  // namespace

extern const AdviceChart cost_time_chart;
const AdviceChart cost_time_chart{"cost-time", "Cost against time",
                                  "Each point is a configuration on the cheapest machine that can run it, of "
                                  "those billed alike; lines are 95 % "
                                  "intervals. The dashed line is the Pareto front: to be cheaper than a "
                                  "point on it takes longer. It joins estimates: "
                                  "where intervals overlap, which point is on it may be chance.",
                                  draw_cost_time};

}  // namespace neph::report
