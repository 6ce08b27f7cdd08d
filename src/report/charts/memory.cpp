// Peak memory against requests in flight: what asynchrony costs.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/charts.hpp"
#include "report/charts/lines.hpp"
#include "report/charts/vega.hpp"
#include "report/readings.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr double to_mib = 1.0 / (1 << 20);

struct Target {
  std::string_view name;
  const char* caption;
};
constexpr std::array targets{Target{target::application, "whole application"},
                             Target{target::client, "client alone"}, Target{target::server, "server alone"}};

bool is_sync(const CellSummary& cell, const Experiment& experiment) {
  return field_of(cell, experiment, "mode") == "sync";
}

/// As in the tables: the most of any run.
Estimate peak_mib(const CellSummary& cell, std::string_view target) {
  const auto* own = find_telemetry(cell, target, telemetry::memory_peak);
  const auto bytes = own ? own->max : target == target::application ? peak_memory_bytes(cell) : std::nullopt;
  return bytes ? Estimate{.value = *bytes * to_mib, .n = cell.runs_ok} : Estimate{};
}

/// "× 1.3" of the synchronous configuration that differs in nothing else.
std::string ratio_to_sync(const Document& document, const CellSummary& cell, std::string_view target) {
  if (is_sync(cell, document.experiment)) return {};
  const auto own = peak_mib(cell, target);
  for (const auto& other : document.cells)
    if (is_sync(other, document.experiment) && alike(cell, other, {"mode", "depth"}))
      if (const auto sync = peak_mib(other, target); sync.value > 0 && std::isfinite(own.value))
        return fmt::format("× {}", format_number(own.value / sync.value));
  return {};
}

std::int64_t batch_of(const CellSummary& cell, const Experiment& experiment) {
  const auto batch = field_of(cell, experiment, "batch");
  return batch.is_number_integer() ? batch.get<std::int64_t>() : 0;
}

std::string line_of(const Document& document, const CellSummary& cell) {
  return short_label(cell, document.experiment, {"batch", "mode", "depth"});
}

/// Of all panels, so that a line has one colour in each.
std::vector<std::string> all_lines(const Document& document) {
  std::vector<std::string> lines;
  for (const auto& cell : document.cells)
    if (const auto line = line_of(document, cell); std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(line);
  return lines;
}

Panel panel_of(const Document& document, const Target& target, const std::set<double>& depths) {
  Lines lines{.caption = fmt::format("peak memory, {}, MiB", target.caption),
              .description = fmt::format(
                  "Peak memory of the {} in MiB against requests in flight, a line per architecture and "
                  "protocol, with the ratio to the synchronous configuration written at asynchronous ones.",
                  target.caption),
              .x = axis_over(depths, "requests in flight (1: synchronous)"),
              .y = "MiB",
              .unit = "MiB",
              .lines = all_lines(document)};
  std::vector<std::int64_t> batches;
  for (const auto& cell : document.cells) {
    const auto depth = in_flight(cell, document.experiment);
    const auto memory = peak_mib(cell, target.name);
    if (!depth || !std::isfinite(memory.value)) continue;
    batches.push_back(batch_of(cell, document.experiment));
    lines.points.push_back({.x = *depth,
                            .line = line_of(document, cell),
                            .style = "",
                            .label = cell.cell.label,
                            .value = memory,
                            .note = ratio_to_sync(document, cell, target.name)});
  }
  auto panel = draw_lines(lines);
  if (panel.spec.is_null()) return panel;
  for (std::size_t i = 0; i < batches.size(); ++i) panel.spec["data"]["values"][i]["cell"] = batches[i];
  panel.spec["transform"] = Json::array({{{"filter", "datum.cell == cell"}}});
  return panel;
}

Drawing draw_memory(const Document& document) {
  std::set<double> depths;
  std::set<std::int64_t> batches;
  for (const auto& cell : document.cells)
    if (const auto depth = in_flight(cell, document.experiment); depth && cell.runs_ok > 0) {
      depths.insert(*depth);
      batches.insert(batch_of(cell, document.experiment));
    }
  if (depths.size() < 2) return {};
  Drawing drawing;
  for (const auto& target : targets) {
    auto panel = panel_of(document, target, depths);
    if (panel.spec.is_null()) continue;
    panel.spec["params"] = Json::array({{{"name", "cell"}, {"value", *batches.begin()}}});
    drawing.panels.push_back(std::move(panel));
  }
  for (const auto batch : batches) drawing.choices.emplace_back(batch, fmt::format("batch {}", batch));
  return drawing;
}

}  // namespace

const Chart memory_chart{
    "memory", "What requests in flight cost in memory",
    "Most resident memory of any run, against the requests in flight at the same time. An "
    "asynchronous point tells how many times the memory of the synchronous configuration it takes that "
    "differs in nothing else.",
    draw_memory};

}  // namespace neph::report
