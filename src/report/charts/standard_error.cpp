// How exactly the speed is known: the standard error of its mean over the repeats.
#include <cmath>

#include "report/charts/charts.hpp"
#include "report/charts/factor_axis.hpp"
#include "report/readings.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

Estimate relative_error(const Document& document, const CellSummary& cell) {
  std::vector<double> speeds;
  for (const auto& run : document.runs)
    if (const auto speed = speed_of(document, run); speed && run.cell == cell.cell.index)
      speeds.push_back(*speed);
  const auto mean = stats::mean_of(speeds);
  if (!mean.standard_error || !(mean.estimate.value > 0)) return {};
  return {.value = 100 * *mean.standard_error / mean.estimate.value, .n = mean.estimate.n};
}

Drawing draw_standard_error(const Document& document) {
  return draw_over_factor(
      document,
      {.caption = worded("standard error of {rate} against", view_of(document)),
       .description = worded("Line chart of the standard error of {rate}, percent of the mean, against",
                             view_of(document)),
       .y = "standard error, % of the mean",
       .unit = "% of the mean",
       .value = [&](const CellSummary& cell) { return relative_error(document, cell); }});
}

}  // namespace

const Chart standard_error_chart{
    "standard_error", "Standard error of {rate}",
    "The runs' standard deviation divided by the square root of their number. What rises here with a server "
    "or a network is noise that more repeats must pay for. With few repeats the points scatter widely.",
    draw_standard_error};

}  // namespace neph::report
