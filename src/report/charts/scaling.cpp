// Time against cores, and how many times as fast as the fewest: of configurations that differ in nothing but
// threads.
#include "report/scaling.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/lines.hpp"
#include "report/charts/vega.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr const char* ideal = "ideal";

/// The speed-up of one line, and what as many cores would do if each did as much as those of the fewest.
void add_speedups(const Scaling& scaling, bool all_notes, Lines& lines) {
  for (const auto& level : scaling.levels) {
    auto speedup = level.speedup;
    if (is_inconclusive(speedup))
      speedup.low = speedup.high = std::nullopt;  // they would be all that is seen
    lines.points.push_back(
        {.x = level.cores,
         .line = scaling.name == "all" ? "measured" : scaling.name,
         .label = level.cell->cell.label,
         .value = speedup,
         .note = level.cores > scaling.fewest() && (all_notes || level.cores == scaling.most())
                     ? fmt::format("{:.0f} %", 100 * scaling.efficiency(level))
                     : ""});
  }
}

void add_ideal(const std::set<double>& cores, double fewest, Lines& lines) {
  for (const double count : cores)
    lines.points.push_back(
        {.x = count, .line = ideal, .label = ideal, .value = {.value = count / fewest, .n = 1}});
}

constexpr std::size_t most_noted = 2;  ///< lines with all their efficiencies; of more only the last
constexpr std::size_t most_bands = 3;  ///< more only cover each other
constexpr std::size_t curve_points = 40;

constexpr std::string_view curves_text = R"json([
  {"mark": {"type": "area", "opacity": 0.16, "tooltip": null},
   "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}, "tooltip": null}},
  {"mark": {"type": "line", "strokeWidth": 1.5, "strokeDash": [6, 3]},
   "encoding": {"y": {"field": "value", "type": "quantitative"}}}
])json";

struct Curve {
  std::string line;
  stats::ScalingFit fit;
  double unit_s;  ///< by which the law's times, those of the main metric, become the panel's
};

/// The law's times, from the fewest to the most that were measured.
Json rows_of(const Curve& curve) {
  Json rows = Json::array();
  const double from = curve.fit.least_cores(), to = curve.fit.most_cores();
  for (std::size_t i = 0; i <= curve_points; ++i) {
    const double cores = from * std::pow(to / from, static_cast<double>(i) / curve_points);
    const auto time = curve.fit.time_at(cores);
    Json row{{"x", rounded(cores)},
             {"line", curve.line},
             {"label",
              curve.fit.law() == stats::ScalingLaw::amdahl ? "Amdahl's law" : "Universal Scalability Law"}};
    const auto in_unit = [&](const std::optional<double>& border) {
      return border ? std::optional(curve.unit_s * *border) : std::nullopt;
    };
    add_estimate(row, {.value = curve.unit_s * time.value,
                       .low = in_unit(time.low),
                       .high = in_unit(time.high),
                       .n = time.n});
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Of few curves, each from several repeats.
bool have_bands(const std::vector<Curve>& curves) {
  return curves.size() <= most_bands && std::ranges::all_of(curves, [](const Curve& curve) {
           return curve.fit.time_at(curve.fit.least_cores()).low.has_value();
         });
}

/// Curves with their bands below the points; a line that has a curve is not joined too.
void add_curves(const std::vector<Curve>& curves, Panel& panel) {
  if (curves.empty() || panel.spec.is_null()) return;
  Json rows = Json::array(), lines = Json::array();
  for (const auto& curve : curves) {
    for (auto& row : rows_of(curve)) rows.push_back(std::move(row));
    lines.push_back(curve.line);
  }
  auto layers = Json::parse(curves_text);
  if (!have_bands(curves)) layers.erase(0);
  auto& own = panel.spec["layer"];
  for (auto& layer : layers) {
    layer["data"] = {{"values", rows}};
    for (const auto* part : {"title", "scale"}) layer["encoding"]["y"][part] = own[0]["encoding"]["y"][part];
  }
  Json joined = Json::array();
  for (const auto& row : panel.spec["data"]["values"])
    if (std::ranges::find(lines, row["line"]) == lines.end()) joined.push_back(row);
  if (joined.empty())
    own.erase(0);  // marks without any extent make Vega complain
  else
    own[0]["data"] = {{"values", joined}};
  for (auto& layer : own) layers.push_back(std::move(layer));
  own = std::move(layers);
  panel.description += fmt::format(" A dashed curve is the law that describes them{}.",
                                   have_bands(curves) ? ", its band a 95 % interval" : "");
  panel.spec["description"] = panel.description;
}

/// What the panel of times shows: an epoch where it is known, else what the main metric counts.
struct Shown {
  std::string name;
  const Metric& metric;
};

Shown shown_of(const Document& document) {
  if (view_of(document).better == Better::lower) return {"seconds of the whole", metric::command_s};
  return {"seconds per epoch", metric::epoch_s};
}

/// By which the law's times, in seconds of an item or of the whole, become those of the panel.
double unit_of(const Document& document, const Scaling& scaling, const Metric& metric) {
  double sum = 0;
  std::int64_t count = 0;
  for (const auto& run : document.runs)
    for (const auto& level : scaling.levels)
      if (run.cell == level.cell->cell.index && run.status == RunStatus::ok)
        for (const auto& figure : run.result.figures)
          if (const auto time = time_of(document, run); figure.name == metric.name && time)
            sum += std::log(figure.estimate.value / *time), ++count;
  return count > 0 ? std::exp(sum / static_cast<double>(count)) : std::nan("");
}

Lines times_of(const Document& document, const std::vector<Scaling>& all, const std::set<double>& cores) {
  const auto shown = shown_of(document);
  Lines times{.caption = shown.name + " against cores",
              .description = fmt::format("Line chart with 95 % intervals of {} against cores.", shown.name),
              .x = axis_over(cores, "cores"),
              .y = shown.name,
              .unit = "s"};
  for (const auto& scaling : all)
    for (const auto& level : scaling.levels)
      if (const auto* time = find_estimate(level.cell->figures, shown.metric))
        times.points.push_back(
            {.x = level.cores, .line = scaling.name, .label = level.cell->cell.label, .value = *time});
  return times;
}

/// Both axes alike, so that the ideal is a straight line, and it is not the point.
Panel draw_speedups(const std::vector<Scaling>& all, const std::set<double>& cores) {
  const double fewest = *cores.begin();
  Lines speedups{.caption = fmt::format("speed-up over {}, with efficiency",
                                        fewest == 1 ? "one core" : plain(fewest) + " cores"),
                 .description =
                     "Line chart with 95 % intervals of the speed-up against cores, with a line "
                     "for a speed-up as large as the number of cores.",
                 .x = axis_over(cores, "cores"),
                 .y = "times as fast",
                 .unit = "times"};
  speedups.logarithmic = speedups.x["scale"].contains("type");
  for (const auto& scaling : all)
    if (scaling.fewest() == fewest) add_speedups(scaling, all.size() <= most_noted, speedups);
  add_ideal(cores, fewest, speedups);
  auto panel = draw_lines(speedups);
  if (panel.spec.is_null()) return panel;
  if (speedups.logarithmic) {
    auto& scale = panel.spec["layer"][0]["encoding"]["y"]["scale"];
    scale["base"] = 2;
    scale["nice"] = false;
  }
  auto& colours = panel.spec["encoding"]["color"]["scale"];
  for (std::size_t i = 0; i < colours["domain"].size(); ++i)
    if (colours["domain"][i] == ideal) colours["range"][i] = muted_colour;
  return panel;
}

Drawing draw_scaling(const Document& document) {
  const auto all = scalings(document);
  if (all.empty()) return {};
  std::set<double> cores;
  std::vector<Curve> curves;
  for (const auto& scaling : all) {
    for (const auto& level : scaling.levels) cores.insert(level.cores);
    const auto laws = laws_of(document, scaling);
    const double unit_s = unit_of(document, scaling, shown_of(document).metric);
    if (laws.told() && std::isfinite(unit_s))
      curves.push_back({.line = scaling.name, .fit = *laws.told(), .unit_s = unit_s});
  }
  Drawing drawing;
  auto times = draw_lines(times_of(document, all, cores));
  add_curves(curves, times);
  for (auto& panel : {std::move(times), draw_speedups(all, cores)})
    if (!panel.spec.is_null()) drawing.panels.push_back(panel);
  if (!curves.empty())
    drawing.reading = fmt::format(
        "A dashed curve is the law of scaling that describes the times, Amdahl's or the Universal "
        "Scalability Law{}.",
        have_bands(curves) ? ", with its 95 % band" : "");
  return drawing;
}

}  // namespace

const Chart scaling_chart{
    "scaling", "What more cores do",
    "Each point is a configuration; a line joins those that differ in nothing but cores. Speed-up is "
    "compared repeat by repeat. The percentage is the efficiency: of what as many cores would do if each did "
    "as much as where they were fewest. An interval that is too wide to tell anything is not drawn.",
    draw_scaling};

}  // namespace neph::report
