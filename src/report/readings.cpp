#include "report/readings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/machine.hpp"
#include "record/samples.hpp"

namespace neph::report {
namespace {

std::vector<std::string> known_first(std::span<const std::string_view> known,
                                     const std::vector<CellSummary>& cells,
                                     std::map<std::string, Estimate> CellSummary::*estimates) {
  std::vector<std::string> found;
  for (const auto& cell : cells)
    for (const auto& [name, estimate] : cell.*estimates)
      if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
  const auto place = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) - known.begin();
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return found;
}

template <class Kinds>
constexpr auto names_of(const Kinds& kinds) {
  std::array<std::string_view, std::tuple_size_v<Kinds>> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kinds[i].name;
  return names;
}

/// Of the application: the sum over its processes, all of which must be known.
template <class Read>
std::optional<double> of_target(std::string_view target, bool served, Read read) {
  if (target != target::application) return read(target);
  if (!served) return read(target::process);
  const auto client = read(target::client), server = read(target::server);
  return client && server ? std::optional(*client + *server) : std::nullopt;
}

bool is_served(const std::vector<SeriesSummary>& telemetry) {
  return std::any_of(telemetry.begin(), telemetry.end(),
                     [](const auto& series) { return series.target == target::client; });
}

std::optional<double> most_of_gpus(const CellSummary& cell, const Metric& quantity,
                                   std::optional<double> SeriesSummary::*figure) {
  std::optional<double> most;
  for (const auto& series : cell.telemetry)
    if (series.target.starts_with(target::gpu) && series.name == quantity.name && series.*figure)
      most = std::max(most.value_or(0), *(series.*figure));
  return most;
}

std::optional<double> cores_of(const std::vector<SeriesSummary>& telemetry, std::string_view target) {
  if (const auto* cpu = find_telemetry(telemetry, target, telemetry::cpu); cpu && cpu->mean) return cpu->mean;
  const auto* user = find_telemetry(telemetry, target, telemetry::cpu_user);
  const auto* system = find_telemetry(telemetry, target, telemetry::cpu_system);
  if (!user || !user->mean) return std::nullopt;
  return *user->mean + (system ? system->mean.value_or(0) : 0);
}

std::optional<double> busy_cores(const std::vector<SeriesSummary>& telemetry, std::string_view target) {
  return of_target(target, is_served(telemetry), [&](auto one) { return cores_of(telemetry, one); });
}

std::optional<double> peak_of(const std::vector<SeriesSummary>& telemetry, std::string_view target) {
  for (const auto& quantity : {telemetry::memory_peak, telemetry::memory_resident})
    if (const auto* series = find_telemetry(telemetry, target, quantity); series && series->max)
      return series->max;
  return std::nullopt;
}

std::optional<double> peak_memory_bytes(const std::vector<SeriesSummary>& telemetry,
                                        std::string_view target) {
  return of_target(target, is_served(telemetry), [&](auto one) { return peak_of(telemetry, one); });
}

std::optional<double> positive_number(const Json& number) {
  return number.is_number() && number.get<double>() > 0 ? std::optional(number.get<double>()) : std::nullopt;
}

}  // namespace

const SeriesSummary* find_telemetry(const std::vector<SeriesSummary>& telemetry, std::string_view target,
                                    const Metric& quantity) {
  for (const auto& series : telemetry)
    if (series.target == target && series.name == quantity.name) return &series;
  return nullptr;
}

const SeriesSummary* find_telemetry(const CellSummary& cell, std::string_view target,
                                    const Metric& quantity) {
  return find_telemetry(cell.telemetry, target, quantity);
}

const Estimate* find_estimate(const std::map<std::string, Estimate>& estimates, std::string_view name) {
  const auto found = estimates.find(std::string(name));
  return found == estimates.end() ? nullptr : &found->second;
}

const Estimate* find_estimate(const std::map<std::string, Estimate>& figures, const Metric& metric) {
  return find_estimate(figures, metric.name);
}

const View& view_of(const Document& document) {
  return neph::view_of(document.experiment.workload, document.cells);
}

std::string worded(std::string_view text, const View& view) {
  return fmt::format(fmt::runtime(text), fmt::arg("item", view.item), fmt::arg("items", view.items),
                     fmt::arg("sample", view.sample), fmt::arg("samples", view.samples),
                     fmt::arg("latency", view.latency), fmt::arg("stage_time", view.stage_time),
                     fmt::arg("rate", view.rate));
}

Estimate speed_of(const Document& document, const CellSummary& cell) {
  return neph::speed_of(view_of(document), cell);
}

std::string speed_text(const Document& document, const CellSummary& cell) {
  return format_number(speed_of(document, cell).value) + " " + std::string(view_of(document).rate);
}

std::optional<double> speed_of(const Document& document, const Run& run) {
  return neph::speed_of(view_of(document), run);
}

std::optional<double> ms_per_item(const Document& document, const Run& run) {
  const auto speed = speed_of(document, run);
  return speed && *speed > 0 ? std::optional(1e3 / *speed) : std::nullopt;
}

std::optional<double> busy_cores(const Run& run, std::string_view target) {
  return busy_cores(run.result.telemetry, target);
}

std::optional<double> cpu_ms_per_item(const Document& document, const Run& run, std::string_view target) {
  const auto cores = busy_cores(run, target);
  const auto ms = ms_per_item(document, run);
  return cores && ms ? std::optional(*cores * *ms) : std::nullopt;
}

std::string_view engine_target(const CellSummary& cell) {
  return is_served(cell.telemetry) ? target::server_engine : target::engine;
}

std::optional<double> busy_cores(const CellSummary& cell, std::string_view target) {
  return busy_cores(cell.telemetry, target);
}

std::optional<double> taken_cores(const CellSummary& cell) {
  const auto busy = busy_cores(cell, target::machine);
  const auto* steal = find_telemetry(cell, target::machine, telemetry::cpu_steal);
  return busy ? std::optional(*busy + (steal ? steal->mean.value_or(0) : 0)) : std::nullopt;
}

std::optional<double> peak_memory_bytes(const CellSummary& cell) {
  return peak_memory_bytes(cell.telemetry, target::application);
}

std::optional<double> gpu_percent(const CellSummary& cell) {
  return most_of_gpus(cell, telemetry::utilisation, &SeriesSummary::mean);
}

std::optional<double> gpu_memory_bytes(const CellSummary& cell) {
  return most_of_gpus(cell, telemetry::memory_used, &SeriesSummary::max);
}

std::optional<double> peak_memory_bytes(const Run& run, std::string_view target) {
  return run.status == RunStatus::ok ? peak_memory_bytes(run.result.telemetry, target) : std::nullopt;
}

std::optional<double> usable_cores(const Json& machine) {
  const std::string field(machine_field::effective_cores);
  return machine.is_object() && machine.contains(field) ? positive_number(machine[field]) : std::nullopt;
}

std::optional<double> machine_cores(const Json& machine) {
  return positive_number(processor_field(machine, machine_field::online));
}

std::vector<std::string> phase_names(const std::vector<CellSummary>& cells) {
  return known_first(names_of(phase_kinds), cells, &CellSummary::phases_s);
}

std::vector<std::string> preparing_phases(const std::vector<CellSummary>& cells) {
  auto names = phase_names(cells);
  std::erase_if(names, [](const auto& name) {
    const auto* kind = find_phase(name);
    return !kind || kind->stage >= BillStage::learn;
  });
  return names;
}

std::vector<std::string> stage_names(const std::vector<CellSummary>& cells) {
  return known_first(names_of(stage_kinds), cells, &CellSummary::stages_ms);
}

std::vector<std::string> quantile_names(const std::vector<CellSummary>& cells) {
  return known_first(usual_percentiles, cells, &CellSummary::latency_ms);
}

std::vector<const CellSummary*> by_speed(const Document& document) {
  std::vector<const CellSummary*> order;
  for (const auto& cell : document.cells) order.push_back(&cell);
  const auto better = view_of(document).better;
  if (!better) return order;
  const auto merit = [&](const CellSummary* cell) {
    const double value = speed_of(document, *cell).value;
    if (!std::isfinite(value)) return -std::numeric_limits<double>::infinity();
    return better == Better::higher ? value : -value;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return merit(a) > merit(b); });
  return order;
}

std::vector<const CellSummary*> ranked(const Document& document) {
  if (!view_of(document).better) return {};
  auto order = by_speed(document);
  std::erase_if(order, [&](const auto* cell) { return !std::isfinite(speed_of(document, *cell).value); });
  auto usable = order;
  std::erase_if(usable, [](const auto* cell) { return cell->verdict == Verdict::invalid; });
  return usable.empty() ? order : usable;
}

Json factor_of(const CellSummary& cell, const std::string& name) {
  const auto& factors = cell.cell.factors;
  return factors.is_object() && factors.contains(name) ? factors[name] : Json(nullptr);
}

Json field_of(const CellSummary& cell, const Experiment& experiment, const std::string& name) {
  for (const auto* source : {&cell.cell.factors, &cell.cell.spec, &experiment.spec})
    if (source->is_object() && source->contains(name)) return (*source)[name];
  return nullptr;
}

const Run* median_run(const Document& document, std::int64_t cell) {
  std::vector<std::pair<double, const Run*>> candidates;
  for (const auto& run : document.runs)
    if (run.cell == cell && run.status == RunStatus::ok && !run.result.series.empty())
      candidates.emplace_back(speed_of(document, run).value_or(0), &run);
  if (candidates.empty()) return nullptr;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return candidates[(candidates.size() - 1) / 2].second;
}

std::string verdict_text(const CellSummary& cell) {
  if (cell.runs_ok == 0) return cell.runs_failed ? "failed" : "not run";
  return std::string(enum_name(cell.verdict));
}

std::string factor_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

}  // namespace neph::report
