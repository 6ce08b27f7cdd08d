#include "report/columns.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/views/view.hpp"

namespace neph::report {
namespace {

constexpr int most_expendable = 6;

/// Where it is narrow, a percentile of which no cell has a figure goes first, then the lower one.
TableColumn latency_column(const std::string& name, const std::vector<CellSummary>& cells) {
  const bool any = std::ranges::any_of(
      cells, [&](const auto& cell) { return find_shown(cell.latency_ms, name) != nullptr; });
  return {.heading = name + " ms",
          .field = [name](const auto& cell) { return shown_text(cell.latency_ms, name); },
          .brief =
              [name](const auto& cell) {
                return find_shown(cell.latency_ms, name) ? value_text(cell.latency_ms, name)
                                                         : shown_text(cell.latency_ms, name);
              },
          .expendable = !any                     ? most_expendable
                        : name == statistic::p99 ? 1
                                                 : 2,
          .is_wide = name != statistic::p50 && name != statistic::p99};
}

/// By what it was told to compute on; of a command nobody is told, and a GPU that did something was its.
bool is_on_gpu(const CellSummary& cell) {
  const auto device = get(cell.facts, fact::device);
  return device ? device->starts_with("CUDA") : gpu_percent(cell).value_or(0) > 0;
}

std::string runs_text(const CellSummary& cell) {
  return cell.runs_failed ? fmt::format("{} ok, {} failed", cell.runs_ok, cell.runs_failed)
                          : std::to_string(cell.runs_ok);
}

/// Of the costs that some configuration has.
std::vector<TableColumn> money_columns(const Document& document) {
  struct Cost {
    const Metric& metric;
    std::string_view of;
    int expendable;
  };
  const bool is_of_a_run = report_view(document).of.workload == view::command.workload;
  const Cost costs[] = {{metric::cost_per_million, "million", 0},
                        {metric::cost_per_epoch, "epoch", 2},
                        {metric::cost_of_training, "training", 0},
                        {metric::cost_of_run, "run", is_of_a_run ? 0 : most_expendable}};
  std::vector<TableColumn> columns;
  for (const auto& [metric, of, expendable] : costs) {
    auto column = figure_column(metric);
    column.heading = fmt::format("{}/{}", document.currency, of);
    column.brief = [name = metric.name](const auto& cell) { return value_text(cell.figures, name); };
    column.expendable = expendable;
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

std::vector<TableColumn> columns_of(const Document& document) {
  auto columns = report_view(document).columns(document);
  if (!document.currency.empty()) std::ranges::move(money_columns(document), std::back_inserter(columns));
  columns.push_back({.heading = "runs", .field = runs_text, .is_wide = true});
  std::erase_if(columns, [&](const auto& column) {
    return std::ranges::all_of(document.cells, [&](const auto& cell) { return column.field(cell) == "–"; });
  });
  return columns;
}

TableColumn figure_column(const Metric& metric) {
  return {.heading = std::string(metric.label),
          .field = [name = metric.name](const auto& cell) { return shown_text(cell.figures, name); }};
}

std::string duration_text(const Estimate& estimate) {
  if (!std::isfinite(estimate.value)) return "–";
  auto text = format_seconds(estimate.value);
  if (estimate.low && estimate.high &&
      (format_seconds(*estimate.low) != text || format_seconds(*estimate.high) != text))
    text += fmt::format(" ± {}", format_seconds((*estimate.high - *estimate.low) / 2));
  return text;
}

TableColumn time_column(const Metric& metric, std::string heading, int expendable) {
  const auto text = [name = metric.name](const CellSummary& cell, bool is_brief) -> std::string {
    const auto* found = find_estimate(cell.figures, name);
    if (!found || !std::isfinite(found->value)) return "–";
    return is_brief ? format_seconds(found->value) : duration_text(*found);
  };
  return {.heading = std::move(heading),
          .field = [text](const auto& cell) { return text(cell, false); },
          .brief = [text](const auto& cell) { return text(cell, true); },
          .expendable = expendable};
}

std::vector<TableColumn> latency_columns(const std::vector<CellSummary>& cells) {
  std::vector<TableColumn> columns;
  for (const auto& name : quantile_names(cells)) columns.push_back(latency_column(name, cells));
  return columns;
}

std::vector<TableColumn> resource_columns() {
  return {
      {.heading = "CPU cores",
       .field = [](const auto& cell) { return quantity(busy_cores(cell, target::application), unit::cores); },
       .expendable = 3},
      {.heading = "memory",
       .field = [](const auto& cell) { return quantity(peak_memory_bytes(cell), unit::bytes); },
       .expendable = 4},
      {.heading = "GPU busy",
       .field =
           [](const auto& cell) {
             return quantity(is_on_gpu(cell) ? gpu_percent(cell) : std::nullopt, unit::percent);
           },
       .expendable = 3},
      {.heading = "GPU memory",
       .field =
           [](const auto& cell) {
             return quantity(is_on_gpu(cell) ? gpu_memory_bytes(cell) : std::nullopt, unit::bytes);
           },
       .expendable = 4}};
}

std::string value_text(const std::map<std::string, Estimate>& estimates, std::string_view name) {
  const auto* estimate = find_estimate(estimates, name);
  return estimate && std::isfinite(estimate->value) ? format_number(estimate->value) : "–";
}

}  // namespace neph::report
