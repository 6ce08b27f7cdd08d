// The runs of an experiment as a table to predict from.
#include <algorithm>
#include <fstream>

#include "record/cells.hpp"
#include "record/columns.hpp"
#include "record/machine.hpp"
#include "record/metrics.hpp"
#include "record/samples.hpp"
#include "record/views.hpp"
#include "stats/stats.hpp"
#include "store/store.hpp"
#include "table/table.hpp"

namespace neph::table {
namespace {

/// Of every SQLite file (its file format, section 1.3).
constexpr std::string_view store_begins = "SQLite format 3";

/// The factors that the run's cell has, what it ran on, and its machine. A factor of the same name is what
/// was asked for.
Json conditions_of(const Experiment& experiment, const Cell& cell, const Machine& machine) {
  Json row = Json::object();
  for (const auto& [name, value] : cell.factors.items())
    row[name] = value.is_structured() ? Json(dump_json(value)) : value;
  const bool is_load = experiment.workload == view::load.workload;  // of a server, which may have any GPU
  auto columns =
      Json{{"hardware", hardware_text(machine, is_load ? machine.gpus : gpus_used(experiment, cell))}};
  columns.update(machine_columns(machine));
  for (const auto& [name, value] : columns.items())
    if (!row.contains(name)) row[name] = value;
  return row;
}

/// The run's; one of which nothing is known where it was not told.
const Machine& machine_of_run(const Run& run, const std::vector<Machine>& machines) {
  static const Machine unknown;
  const auto found =
      std::ranges::find_if(machines, [&](const Machine& machine) { return machine.id == run.machine_id; });
  return found == machines.end() ? unknown : *found;
}

Json measured_in(const RunResult& result) {
  Json row = Json::object();
  if (const auto latencies = latencies_ms(result); !latencies.empty())
    for (const auto name : usual_percentiles)
      row[column::of_latency(name)] = stats::quantile(latencies, *percentile_of(name));
  for (const auto& figure : result.figures) row[figure.name] = to_json(figure.estimate.value);
  for (const auto& phase : result.phases) row[column::of_phase(phase.name)] = phase.end_s - phase.begin_s;
  for (const auto& series : result.telemetry)
    if (series.mean) row[column::of_series(series.target, series.name)] = to_json(*series.mean);
  return row;
}

/// What tells of the run before it is made, and what was asked for.
Result<Table> without_other_outcomes(Table table, std::size_t conditions,
                                     const std::vector<std::string>& wanted) {
  std::vector<bool> stays(table.columns.size(), false);
  std::fill_n(stays.begin(), std::min(conditions, stays.size()), true);
  for (const auto& name : wanted) {
    NEPH_TRY(const auto place, table.find(name));
    stays[place] = true;
  }
  std::vector<Column> kept;
  for (std::size_t i = 0; i < stays.size(); ++i)
    if (stays[i]) kept.push_back(std::move(table.columns[i]));
  table.columns = std::move(kept);
  return table;
}

}  // namespace

bool is_store(const std::filesystem::path& file) {
  std::error_code error;  // what a pipe has can be read only once
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::string begin(store_begins.size(), '\0');
  std::ifstream(file, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == store_begins;
}

Result<Table> experiment_table(const std::filesystem::path& path, std::int64_t id,
                               const std::vector<std::string>& wanted) {
  NEPH_TRY(const auto store, store::Store::open(path, store::Access::read));
  NEPH_TRY(const auto experiment, id == 0 ? store.latest() : store.experiment(id));
  NEPH_TRY(const auto cells, expand(experiment));
  const bool has_latency =
      std::ranges::any_of(wanted, [](const auto& name) { return name.starts_with("latency_"); });
  NEPH_TRY(const auto runs,
           store.runs(experiment.id, has_latency ? store::Detail::full : store::Detail::summary));
  NEPH_TRY(const auto machines, store.machines(experiment.id));
  const auto source = fmt::format("experiment {} of {}", experiment.id, path.string());
  Json all_conditions = Json::object();  // of all cells: one may lack what another has
  for (const auto& cell : cells) all_conditions.update(conditions_of(experiment, cell, {}));
  for (auto& [name, value] : all_conditions.items()) value = nullptr;
  std::string lines;
  for (const auto& run : runs) {
    if (run.status != RunStatus::ok) continue;
    if (static_cast<std::size_t>(run.cell) >= cells.size())
      return fail(ErrorCode::corrupt, "{}: run {} is of configuration {}, and there are {}", source, run.id,
                  run.cell, cells.size());
    auto row = all_conditions;
    row.update(
        conditions_of(experiment, cells[static_cast<std::size_t>(run.cell)], machine_of_run(run, machines)));
    row.update(measured_in(run.result));
    lines += dump_json(row) + "\n";
  }
  if (lines.empty())
    return fail(ErrorCode::invalid_argument, "{}: no run of it ended well; 'neph runs {}' says why", source,
                experiment.id);
  NEPH_TRY(auto table, parse_table(lines, source));
  return without_other_outcomes(std::move(table), all_conditions.size(), wanted);
}

}  // namespace neph::table
