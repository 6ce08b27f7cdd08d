#include "report/training_limits.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include <fmt/ranges.h>

#include "core/units.hpp"
#include "core/values.hpp"
#include "report/machines.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/scaling.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr double busy_share = 0.9;       // of the cores: hardly anything is left to use
constexpr double waiting_share = 0.1;    // of the time, for data: worth a sentence
constexpr double fixed_share = 0.3;      // of a step, whatever its batch: worth a sentence
constexpr double busy_gpu_percent = 90;  // of the time
constexpr double helping_share = 0.5;    // of what the last cores that were added could do
constexpr double waiting_cores = 0.1;    // per core: time that threads waited for others to leave it
constexpr std::size_t most_groups = 4;

/// What is known of a configuration; empty: not measured.
struct Evidence {
  std::optional<double> waiting;  ///< share of the time that a step waited for its data
  std::optional<double> used, cores;
  double queued = 0;                   ///< cores that its threads were ready to use, and waited for
  std::optional<double> idle, others;  ///< cores of the machine: used by nobody, by other processes
  std::optional<double> gpu_percent;   ///< of the busiest
  std::optional<stats::FixedCost> fixed;
  std::optional<std::string> stalled;  ///< how little the last cores helped: "from 4 to 8 cores ..."
};

std::optional<double> waiting_of(const CellSummary& cell) {
  const auto* wait = find_estimate(cell.stages_ms, stage::wait.name);
  double all_ms = 0;
  for (const auto* part : {&stage::wait, &stage::step, &stage::exchange})
    if (const auto* estimate = find_estimate(cell.stages_ms, part->name)) all_ms += estimate->value;
  if (!wait || !(all_ms > 0)) return std::nullopt;
  return wait->value / all_ms;
}

/// Of configurations that differ from this one in nothing but the batch.
std::optional<stats::FixedCost> fixed_of(const Document& document, const CellSummary& cell) {
  const auto batch = factor_of(cell, "batch");
  if (!batch.is_number()) return std::nullopt;
  std::vector<stats::RunTime> runs;
  for (const auto& other : document.cells) {
    const auto its = factor_of(other, "batch");
    if (!its.is_number() || other.verdict == Verdict::invalid || !alike(cell, other, {"batch"})) continue;
    for (const auto& run : document.runs)
      if (run.cell == other.cell.index && run.status == RunStatus::ok)
        for (const auto& figure : run.result.figures)
          if (figure.name == metric::step_s.name && figure.estimate.value > 0)
            runs.push_back({.x = its.get<double>(), .time = figure.estimate.value, .block = run.repeat});
  }
  return stats::fixed_cost_at(runs, batch.get<double>());
}

/// The last cores that were added did less than half of what they could, and the repeats show it.
std::optional<std::string> stalled_of(const Document& document, const CellSummary& cell) {
  for (const auto& scaling : scalings(document)) {
    const auto level = std::ranges::find(scaling.levels, &cell, &ScalingLevel::cell);
    if (level == scaling.levels.end() || level == scaling.levels.begin()) continue;
    const auto& before = *(level - 1);
    const auto ratio = times_as_fast(document, *before.cell, cell);
    if (!ratio.high || *ratio.high >= 1 + helping_share * (level->cores / before.cores - 1))
      return std::nullopt;
    return fmt::format("from {} to {} it is {} times as fast ({})", plain(before.cores), plain(level->cores),
                       ratio_text(ratio.value), ratio_ci_text(ratio));
  }
  return std::nullopt;
}

Evidence evidence_of(const Document& document, const CellSummary& cell) {
  const auto used = busy_cores(cell, target::process), taken = taken_cores(cell);
  double queued = 0;
  for (const auto role : {target::engine, target::loader, target::rest})
    if (const auto* wait = find_telemetry(cell, role, telemetry::cpu_wait)) queued += wait->mean.value_or(0);
  const auto online = machine_cores(fingerprint_of(document, cell));
  const auto left = [](std::optional<double> all, std::optional<double> part) {
    return all && part ? std::optional(std::max(0.0, *all - *part)) : std::nullopt;
  };
  return {.waiting = waiting_of(cell),
          .used = used,
          .cores = allowed_cores(document, cell),
          .queued = queued,
          .idle = left(online, taken),
          .others = left(taken, used),
          .gpu_percent = gpu_percent(cell),
          .fixed = fixed_of(document, cell),
          .stalled = stalled_of(document, cell)};
}

bool is_fixed(const Evidence& seen) {
  return seen.fixed && seen.fixed->share.low && *seen.fixed->share.low >= fixed_share &&
         (!(seen.fixed->p_misfit < 0.05) || seen.fixed->worst_miss < stats::described_within);
}

std::string used_text(const Evidence& seen) {
  return fmt::format("it used {} of {}", format_number(*seen.used), counted_cores(*seen.cores));
}

std::string limit_of_cores(const Evidence& seen) {
  if (seen.stalled)
    return fmt::format(
        "memory bandwidth is probably the limit: {}, yet the cores that were added last hardly help: {}. "
        "Bandwidth was not measured; threads that spin while they wait look the same.",
        used_text(seen), *seen.stalled);
  return fmt::format("cores are the limit: {}.", used_text(seen));
}

/// What was looked at, and is not the limit.
std::string undecided(const Evidence& seen) {
  std::vector<std::string> known;
  if (seen.used && seen.cores) known.push_back(used_text(seen));
  if (seen.waiting)
    known.push_back(fmt::format("it waited for data {} of the time", format_percent(*seen.waiting, 2)));
  if (seen.gpu_percent)
    known.push_back(fmt::format("the GPU was busy {} % of the time", format_number(*seen.gpu_percent)));
  if (known.empty()) return "no limit was found: neither CPU time, waiting nor GPU use was measured.";
  return fmt::format("no limit was found: {}. Whatever else it waited for was not measured.",
                     fmt::join(known, ", "));
}

std::string limit_of(const Evidence& seen) {
  if (seen.waiting && *seen.waiting >= waiting_share)
    return fmt::format(
        "input is a limit: it waited for the next batch {:.0f} % of the time. More --loaders, or --data-in "
        "memory, may help.",
        100 * *seen.waiting);
  if (seen.gpu_percent && *seen.gpu_percent >= busy_gpu_percent)
    return fmt::format("the GPU is the limit: it was busy {} % of the time.",
                       format_number(*seen.gpu_percent));
  if (is_fixed(seen))
    return fmt::format(
        "launch overhead is the limit: {} of a step (95 % CI {} to {}) does not grow with the batch, as "
        "launches and the update of the weights do not. A larger batch may help.",
        format_percent(seen.fixed->share.value, 2), format_percent(*seen.fixed->share.low, 2),
        format_percent(*seen.fixed->share.high, 2));
  if (seen.used && seen.cores && *seen.used >= busy_share * *seen.cores) return limit_of_cores(seen);
  if (seen.used && seen.cores && seen.idle && seen.queued >= waiting_cores * *seen.cores &&
      *seen.idle < (1 - busy_share) * *seen.cores)
    return fmt::format(
        "other processes are the limit: {}, and other processes used {}. It may be faster alone on the "
        "machine.",
        used_text(seen), format_number(seen.others.value_or(0)));
  return undecided(seen);
}

std::string device_of(const CellSummary& cell) {
  const auto device = factor_of(cell, "device");
  return device.is_null() ? "" : factor_text(device);
}

/// Only what trains the same network on the same data competes.
std::string task_of(const CellSummary& cell) {
  std::string task;
  for (const auto* name : {"model", "data"})
    if (const auto value = factor_of(cell, name); !value.is_null())
      task += (task.empty() ? "" : " on ") + value_as_text(value);
  return task;
}

/// "Cores are the limit: ...", "With threads 4, cores are the limit: ...", "cuda, with threads 4: ..."
std::string said_of(const std::string& where, std::string limit) {
  const bool is_sentence = where.empty() || where.starts_with("with ");
  auto text = where.empty() ? std::move(limit) : where + (is_sentence ? ", " : ": ") + limit;
  if (is_sentence) text.front() = static_cast<char>(std::toupper(text.front()));
  return text;
}

}  // namespace

std::vector<TrainingGroup> training_groups(const Document& document) {
  std::vector<TrainingGroup> groups;
  const auto order = ranked(document);
  const auto group_of = [&](const std::string& name) {
    return std::ranges::find(groups, name, &TrainingGroup::name);
  };
  for (const auto& cell : document.cells)
    if (std::ranges::count(order, &cell) != 0 && group_of(task_of(cell)) == groups.end())
      groups.push_back({.name = task_of(cell), .cells = {}});
  for (const auto* cell : order) group_of(task_of(*cell))->cells.push_back(cell);
  return groups;
}

std::vector<std::string> limit_findings(const Document& document) {
  std::vector<std::string> sentences;
  for (const auto& group : training_groups(document)) {
    std::vector<std::string> devices;
    for (const auto* cell : group.cells) {  // the fastest of each device comes first
      const auto device = device_of(*cell);
      if (std::ranges::count(devices, device) != 0 || sentences.size() == most_groups) continue;
      devices.push_back(device);
      std::string where = group.name;
      const auto add = [&](const std::string& more) { where += (where.empty() ? "" : ", ") + more; };
      if (!device.empty()) add(device);
      if (group.cells.size() > 1) add("with " + cell->cell.label);
      sentences.push_back(said_of(where, limit_of(evidence_of(document, *cell))));
    }
  }
  return sentences;
}

}  // namespace neph::report
