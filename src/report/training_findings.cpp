#include "report/training_findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/units.hpp"
#include "core/values.hpp"
#include "report/machines.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/recommendation.hpp"
#include "report/scaling.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

constexpr double busy_share = 0.9;     // of the cores: hardly anything is left to use
constexpr double waiting_share = 0.1;  // of the training's time, for its data: worth a sentence
/// More cores pay as long as each of those that are added does at least half of what the fewest do each.
constexpr double paying_share = 0.5;
constexpr std::size_t most_networks = 4;

std::string ci_of_duration(const Estimate& estimate) {
  if (!estimate.low || !estimate.high) return {};
  return fmt::format("95 % CI {} to {}", format_seconds(*estimate.low), format_seconds(*estimate.high));
}

/// Only what trains the same network on the same data competes.
std::string task_of(const CellSummary& cell) {
  std::string task;
  for (const auto* name : {"model", "data"})
    if (const auto value = factor_of(cell, name); !value.is_null())
      task += (task.empty() ? "" : " on ") + value_as_text(value);
  return task;
}

std::string speed_sentence(const Document& document, const Cells& cells, const std::string& whose) {
  const auto& best = *cells.front();
  const auto speed = speed_of(document, best);
  const auto figures =
      fmt::format("{} ({}{})", speed_text(document, best),
                  speed.low && speed.high ? ci_text(speed) + ", " : "", counted(best.runs_ok, "run"));
  if (cells.size() == 1) return fmt::format("{}It learns {}.", whose, figures);
  return fmt::format("{}The fastest of {} is {}: {}.", whose,
                     counted(static_cast<std::int64_t>(cells.size()), "configuration"), best.cell.label,
                     figures);
}

/// How long the whole training takes in the fastest configuration.
std::string time_sentence(const Document& document, const CellSummary& cell, const std::string& whose) {
  const auto* training = find_estimate(cell.figures, metric::training_s);
  if (!training || !std::isfinite(training->value)) return {};
  const auto epochs = field_of(cell, document.experiment, "epochs");
  const auto count = epochs.is_number_integer() ? epochs.get<std::int64_t>() : 1;
  const auto how = get(cell.facts, fact::training_time);
  const bool is_measured = how == "measured";
  const auto ci = ci_of_duration(*training);
  auto text = fmt::format("{}{} with its verifying {} {}", whose, counted(count, "epoch"),
                          is_measured ? "took" : "would take", format_seconds(training->value));
  if (count > 1)
    text = fmt::format("{}{} with their verifying {} {}", whose, counted(count, "epoch"),
                       is_measured ? "took" : "would take", format_seconds(training->value));
  std::string inside = ci;
  if (!is_measured && how) inside += (inside.empty() ? "" : "; ") + *how;
  if (!inside.empty()) text += fmt::format(" ({})", inside);
  if (const auto* epoch = find_estimate(cell.figures, metric::epoch_s);
      count > 1 && epoch && std::isfinite(epoch->value))
    text += fmt::format(", an epoch of learning {}", format_seconds(epoch->value));
  return text + ".";
}

/// "2 cores are 1.85 times as fast as 1 (95 % CI 1.80 to 1.90), an efficiency of 92 %."
std::string level_text(const Scaling& scaling, const ScalingLevel& level) {
  const auto& speedup = level.speedup;
  return fmt::format("{} cores are {} times as fast as {}{}, an efficiency of {:.0f} %", plain(level.cores),
                     ratio_text(speedup.value), plain(scaling.fewest()),
                     speedup.low && speedup.high ? fmt::format(" ({})", ratio_ci_text(speedup)) : "",
                     100 * scaling.efficiency(level));
}

/// The most cores of which those that were added pay.
const ScalingLevel& last_that_pays(const Scaling& scaling) {
  const auto* last = &scaling.levels.front();
  for (const auto& level : scaling.levels) {
    if (&level == last) continue;
    const double gained = (level.speedup.value - last->speedup.value) * scaling.fewest();
    if (gained < paying_share * (level.cores - last->cores)) break;
    last = &level;
  }
  return *last;
}

std::string cores_sentence(const Scaling& scaling, bool is_only) {
  const std::string whose = is_only || scaling.name == "all" ? "" : scaling.name + ": ";
  const auto& pays = last_that_pays(scaling);
  const auto& most = scaling.levels.back();
  const auto& told = &pays == &scaling.levels.front() ? most : pays;
  if (is_inconclusive(told.speedup))
    return fmt::format("{}hether more cores than {} pay is inconclusive: {} are {} times as fast ({}).",
                       whose.empty() ? "W" : whose + "w", plain(scaling.fewest()), plain(told.cores),
                       ratio_text(told.speedup.value), ratio_ci_text(told.speedup));
  auto text = whose + level_text(scaling, told);
  if (&pays == &most) return text + ": all of them pay.";
  if (&pays == &scaling.levels.front())
    return fmt::format(
        "{}: more than {} do not pay, as each that is added does less than half of what it could.", text,
        plain(pays.cores));
  return fmt::format("{}; beyond that more do not pay: {}.", text, level_text(scaling, most));
}

std::string accuracy_sentence(const Cells& cells) {
  const CellSummary *lowest = nullptr, *highest = nullptr;
  const auto accuracy = [](const CellSummary& cell) {
    const auto* found = find_estimate(cell.figures, metric::test_accuracy);
    return found ? found->value : std::nan("");
  };
  for (const auto* cell : cells) {
    if (!std::isfinite(accuracy(*cell))) continue;
    if (!lowest || accuracy(*cell) < accuracy(*lowest)) lowest = cell;
    if (!highest || accuracy(*cell) > accuracy(*highest)) highest = cell;
  }
  if (!highest) return {};
  const auto top = find_estimate(highest->figures, metric::test_accuracy);
  const bool is_known = top->low && top->high && *top->low < *top->high;  // equal: repeats of one seed
  const auto ci =
      is_known ? fmt::format(" (95 % CI {} to {})", format_percent(*top->low), format_percent(*top->high))
               : "";
  if (lowest == highest)
    return fmt::format("The test accuracy after the last epoch is {}{}.", format_percent(top->value), ci);
  return fmt::format("The test accuracy after the last epoch is {} to {}, highest with {}{}.",
                     format_percent(accuracy(*lowest)), format_percent(top->value), highest->cell.label, ci);
}

/// What keeps the fastest from being faster, as far as is known.
std::string limit_sentence(const Document& document, const CellSummary& cell) {
  double all_ms = 0;
  for (const auto* name : {&stage::wait, &stage::step, &stage::exchange})
    if (const auto* estimate = find_estimate(cell.stages_ms, name->name)) all_ms += estimate->value;
  const auto* wait = find_estimate(cell.stages_ms, stage::wait.name);
  if (wait && all_ms > 0 && wait->value >= waiting_share * all_ms)
    return fmt::format(
        "The data is a limit: {:.0f} % of the time the training waited for its next batch. More --loaders, "
        "or "
        "--data-in memory, may help.",
        100 * wait->value / all_ms);
  const auto usable = usable_cores(fingerprint_of(document, cell));
  const auto used = busy_cores(cell, target::process);
  if (!usable || !used) return {};
  const auto bound = get(cell.facts, fact::cores);
  const double cores = bound ? std::min(*usable, static_cast<double>(*bound)) : *usable;
  if (*used >= busy_share * cores)
    return fmt::format("The CPU is the limit: the training used {} of {} cores.", format_number(*used),
                       format_number(cores));
  return fmt::format("The training used {} of {} cores.", format_number(*used), format_number(cores));
}

}  // namespace

std::vector<std::string> training_findings(const Document& document) {
  const auto order = ranked(document);
  if (order.empty()) return {};
  std::vector<std::string> tasks;  // in the order of the configurations
  std::map<std::string, Cells> by_task;
  for (const auto* cell : order) by_task[task_of(*cell)].push_back(cell);
  for (const auto& cell : document.cells)
    if (const auto task = task_of(cell); by_task.contains(task) && std::ranges::count(tasks, task) == 0)
      tasks.push_back(task);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < std::min(tasks.size(), most_networks); ++i) {
    const auto& cells = by_task[tasks[i]];
    const auto whose = tasks[i].empty() ? "" : tasks[i] + ": ";
    sentences.push_back(speed_sentence(document, cells, whose));
    sentences.push_back(time_sentence(document, *cells.front(), whose));
  }
  const auto all = scalings(document);
  for (std::size_t i = 0; i < std::min(all.size(), most_networks); ++i)
    sentences.push_back(cores_sentence(all[i], all.size() == 1));
  if (tasks.size() == 1) {
    sentences.push_back(accuracy_sentence(order));
    sentences.push_back(limit_sentence(document, *order.front()));
  }
  return sentences;
}

}  // namespace neph::report
