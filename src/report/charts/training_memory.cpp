// Most memory of a training or command, of its processes and of each GPU, a bar per configuration.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr double to_mib = 1.0 / (1 << 20);
constexpr const char* resident = "processes";

Estimate mib_of(const CellSummary& cell, std::optional<double> bytes) {
  return bytes ? Estimate{.value = *bytes * to_mib, .n = cell.runs_ok} : Estimate{};
}

/// Most that a GPU held while a run lasted, of whoever used it.
std::optional<double> gpu_bytes(const CellSummary& cell, const std::string& gpu) {
  const auto* series = find_telemetry(cell, gpu, telemetry::memory_used);
  return series ? series->max : std::nullopt;
}

std::vector<std::string> gpus_of(const Document& document) {
  std::set<std::string> names;
  for (const auto& run : document.runs)
    for (const auto& series : run.result.telemetry)
      if (series.target.starts_with(target::gpu) && series.name == telemetry::memory_used.name && series.max)
        names.insert(series.target);
  return {names.begin(), names.end()};
}

Stacked panel_of(const std::string& what) {
  return {.bars = {},
          .caption = fmt::format("peak memory of {}, MiB", what),
          .axis = fmt::format("peak memory of {}, MiB", what),
          .unit = "MiB",
          .description = fmt::format("Bars: peak memory of {} in MiB, one per configuration.", what)};
}

Drawing draw_training_memory(const Document& document) {
  auto processes = panel_of("the processes"), gpus = panel_of("the GPU");
  processes.parts = {resident};
  gpus.parts = gpus_of(document);
  if (gpus.parts.size() > 1) gpus.caption = gpus.axis = "peak memory of the GPUs, MiB";
  for (const auto& cell : document.cells) {
    const auto own = mib_of(cell, peak_memory_bytes(cell));
    if (std::isfinite(own.value)) processes.bars.push_back({cell.cell.label, {{resident, own}}});
    auto& bar = gpus.bars.emplace_back(cell.cell.label, std::map<std::string, Estimate>{});
    for (const auto& gpu : gpus.parts) bar.parts[gpu] = mib_of(cell, gpu_bytes(cell, gpu));
  }
  Drawing drawing;
  for (const auto* what : {&processes, &gpus})
    for (auto& panel : draw_stacked(*what)) {
      if (what->parts.size() == 1) panel.spec["layer"][0]["encoding"]["color"]["legend"] = nullptr;
      drawing.panels.push_back(std::move(panel));
    }
  if (drawing.panels.size() > 1)
    drawing.reading = "What a GPU holds counts whoever uses it, and grows in large pieces.";
  return drawing;
}

}  // namespace

const Chart training_memory_chart{"peak_memory", "What it takes of memory",
                                  "The most memory that the processes of any run held at any time.",
                                  draw_training_memory};

}  // namespace neph::report
