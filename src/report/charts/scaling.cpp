// Time against cores, and how many times as fast as the fewest: of configurations that differ in nothing but
// threads.
#include "report/scaling.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/lines.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr const char* ideal = "ideal";

/// The speed-up of one line, and what as many cores would do if each did as much as those of the fewest.
void add_speedups(const Scaling& scaling, Lines& lines) {
  for (const auto& level : scaling.levels) {
    auto speedup = level.speedup;
    if (is_inconclusive(speedup))
      speedup.low = speedup.high = std::nullopt;  // they would be all that is seen
    lines.points.push_back({.x = level.cores,
                            .line = scaling.name == "all" ? "measured" : scaling.name,
                            .label = level.cell->cell.label,
                            .value = speedup,
                            .note = level.cores > scaling.fewest()
                                        ? fmt::format("{:.0f} %", 100 * scaling.efficiency(level))
                                        : ""});
  }
}

void add_ideal(const std::set<double>& cores, double fewest, Lines& lines) {
  for (const double count : cores)
    lines.points.push_back(
        {.x = count, .line = ideal, .label = ideal, .value = {.value = count / fewest, .n = 1}});
}

Drawing draw_scaling(const Document& document) {
  const auto all = scalings(document);
  if (all.empty()) return {};
  std::set<double> cores;
  for (const auto& scaling : all)
    for (const auto& level : scaling.levels) cores.insert(level.cores);
  const double fewest = *cores.begin();
  Lines times{.caption = "seconds per epoch against cores",
              .description = "Line chart with 95 % intervals of the time of an epoch against cores.",
              .x = axis_over(cores, "cores"),
              .y = "seconds per epoch",
              .unit = "s"};
  Lines speedups{.caption = fmt::format("speed-up over {}, with efficiency",
                                        fewest == 1 ? "one core" : plain(fewest) + " cores"),
                 .description =
                     "Line chart with 95 % intervals of the speed-up against cores, with a line "
                     "for a speed-up as large as the number of cores.",
                 .x = axis_over(cores, "cores"),
                 .y = "times as fast",
                 .unit = "times"};
  for (const auto& scaling : all) {
    for (const auto& level : scaling.levels)
      if (const auto* epoch = find_estimate(level.cell->figures, metric::epoch_s))
        times.points.push_back(
            {.x = level.cores, .line = scaling.name, .label = level.cell->cell.label, .value = *epoch});
    if (scaling.fewest() == fewest) add_speedups(scaling, speedups);
  }
  add_ideal(cores, fewest, speedups);
  Drawing drawing;
  for (auto* lines : {&times, &speedups})
    if (auto panel = draw_lines(*lines); !panel.spec.is_null()) drawing.panels.push_back(std::move(panel));
  return drawing;
}

}  // namespace

const Chart scaling_chart{
    "scaling", "What more cores do",
    "Each point is a configuration; a line joins those that differ in nothing but cores. Speed-up is "
    "compared "
    "repeat by repeat. The percentage is the efficiency: of what as many cores would do if each did as much "
    "as where they were fewest. An interval that is too wide to tell anything is not drawn.",
    draw_scaling};

}  // namespace neph::report
