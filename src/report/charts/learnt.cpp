// Loss and accuracy at the end of each epoch, of the run with the median speed of each configuration.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/lines.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_lines = 8;
constexpr std::size_t most_epochs = 100;  ///< points of a line

struct Learnt {
  const Metric* metric;
  std::string_view caption;
  double scale;
  std::string_view unit;
};

constexpr std::array learnt{Learnt{&metric::test_accuracy, "test accuracy", 100, "%"},
                            Learnt{&metric::test_loss, "test loss", 1, ""},
                            Learnt{&metric::train_loss, "training loss", 1, ""}};

const Series* series_of(const Run& run, std::string_view name) {
  for (const auto& series : run.result.series)
    if (series.target == target::training && series.name == name) return &series;
  return nullptr;
}

/// Every k-th epoch and the last.
void add_points(const CellSummary& cell, const Series& series, double scale, Lines& lines) {
  const auto count = series.values.size();
  const auto every = std::max<std::size_t>(1, (count + most_epochs - 1) / most_epochs);
  for (std::size_t i = 0; i < count; ++i)
    if ((i + 1) % every == 0 || i + 1 == count)
      lines.points.push_back({.x = static_cast<double>(i + 1),
                              .line = cell.cell.label,
                              .label = fmt::format("{}, epoch {}", cell.cell.label, i + 1),
                              .value = {.value = scale * series.values[i], .n = 1}});
}

Drawing draw_learnt(const Document& document) {
  auto cells = ranked(document);
  const auto all = cells.size();
  if (cells.size() > most_lines) cells.resize(most_lines);
  Drawing drawing;
  for (const auto& what : learnt) {
    Lines lines{
        .caption = fmt::format("{} by epoch", what.caption),
        .description = fmt::format("Line chart of the {} at the end of each epoch.", what.caption),
        .x = {},
        .y = what.unit.empty() ? std::string(what.caption) : fmt::format("{}, {}", what.caption, what.unit),
        .unit = std::string(what.unit.empty() ? what.caption : what.unit)};
    for (const auto* cell : cells)
      if (const auto* run = median_run(document, cell->cell.index))
        if (const auto* series = series_of(*run, what.metric->name); series && series->values.size() > 1)
          add_points(*cell, *series, what.scale, lines);
    std::set<double> epochs;
    for (const auto& point : lines.points) epochs.insert(point.x);
    lines.x = axis_over(epochs, "epoch");
    lines.x["scale"] = {{"zero", false}, {"nice", false}, {"padding", 16}};  // no factor: each is as long
    if (auto panel = draw_lines(lines); !panel.spec.is_null()) drawing.panels.push_back(std::move(panel));
  }
  if (!drawing.panels.empty() && all > cells.size())
    drawing.note = fmt::format("The {} fastest of {} configurations.", cells.size(), all);
  return drawing;
}

}  // namespace

const Chart learnt_chart{
    "learnt", "What was learnt",
    "One run stands for each configuration: the one with the median speed. Whole trainings of several epochs "
    "alone have these lines. A training's loss is the mean over the epoch's steps, with dropout; the test's "
    "is "
    "without.",
    draw_learnt};

}  // namespace neph::report
