#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/random.hpp"
#include "record/samples.hpp"
#include "report/readings.hpp"
#include "report/sample_document_test.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

constexpr std::int64_t epochs = 3, steps_per_epoch = 40, usual_batch = 128;

std::vector<Series> series_of(double cores) {
  std::vector<Series> all{{.target = "engine",
                           .name = "cpu",
                           .unit = "cores",
                           .at_s = {1, 2, 3},
                           .values = {cores, cores, cores}},
                          {.target = "process",
                           .name = "memory_resident",
                           .unit = "bytes",
                           .at_s = {1, 2, 3},
                           .values = {1e8, 2e8, 2e8}}};
  for (const auto& [metric, first, last] : {std::tuple{metric::train_loss, 1.2, 0.4},
                                            {metric::test_loss, 1.0, 0.45},
                                            {metric::test_accuracy, 0.7, 0.89}})
    all.push_back({.target = std::string(target::training),
                   .name = std::string(metric.name),
                   .unit = std::string(metric.unit),
                   .at_s = {2, 4, 6},
                   .values = {first, (first + last) / 2, last}});
  return all;
}

RunResult result_of(double step_s, double cores, double batch, Random& random) {
  RunResult result;
  Column asked{std::string(samples::issued_s), {}}, done{std::string(samples::done_s), {}},
      items{std::string(samples::items), {}};
  double at_s = 1, sum_s = 0;
  for (std::int64_t i = 0; i < epochs * steps_per_epoch; ++i) {
    const double took_s = step_s * (1 + 0.02 * random.normal());
    asked.values.push_back(at_s);
    done.values.push_back(at_s += took_s);
    items.values.push_back(batch);
    sum_s += took_s;
  }
  const double mean_s = sum_s / static_cast<double>(epochs * steps_per_epoch);
  result.samples = {asked, done, items};
  result.phases = {{"process_start", 0, 0.1},        {"engine_load", 0.1, 0.3}, {"data_load", 0.3, 0.8},
                   {"first_step", 0.8, 1},           {"learn", 1, at_s},        {"verify", at_s, at_s + 0.5},
                   {"save", at_s + 0.5, at_s + 0.51}};
  result.figures = {figure(metric::samples_per_s, {.value = batch / mean_s, .n = 1}),
                    figure(metric::step_s, {.value = mean_s, .n = 1}),
                    figure(metric::epoch_s, {.value = mean_s * steps_per_epoch, .n = 1}),
                    figure(metric::command_s, {.value = at_s + 0.5, .n = 1}),
                    figure(metric::training_s, {.value = mean_s * steps_per_epoch * epochs + 0.5, .n = 1}),
                    figure(metric::test_accuracy, {.value = 0.89 + 0.002 * random.normal(), .n = 1})};
  result.stages = {{"fill", 0.01 * sum_s, 100}, {"wait", 0.001 * sum_s, 100}, {"step", sum_s, 100}};
  result.telemetry = {{.target = "process", .name = "cpu", .unit = "cores", .mean = cores, .max = cores},
                      {.target = "process", .name = "memory_peak", .unit = "bytes", .mean = 2e8, .max = 2e8}};
  result.series = series_of(cores);
  return result;
}

RunResult result_of(const TrainingOptions& options, const Json& cell, Random& random) {
  const double cores = cell.at("threads"), batch = cell.value("batch", double{usual_batch});
  double step_s = options.step_s * batch / usual_batch *
                  (1 + options.serial * (cores - 1) + options.crosstalk * cores * (cores - 1)) / cores;
  step_s += options.fixed_s;
  if (cell.value("in", "process") != "process") step_s *= options.container;
  auto result = result_of(step_s * (1 + options.noise * random.normal()), cores, batch, random);
  if (cell.value("in", "process") != "process") result.phases[0] = {"process_start", -0.4, 0.1};
  return result;
}

CellSummary summary_of(std::int64_t index, const Json& factors, const std::vector<Run>& runs) {
  CellSummary cell{.cell = {.index = index, .factors = factors, .spec = factors, .label = ""}};
  cell.cell.spec["model"] = "mnist-cnn";
  cell.cell.spec["epochs"] = epochs;
  for (const auto& [name, value] : factors.items())
    cell.cell.label += fmt::format("{}{} {}", cell.cell.label.empty() ? "" : ", ", name, factor_text(value));
  std::map<std::string, std::vector<double>> figures, phases, stages;
  for (const auto& run : runs) {
    if (run.cell != index) continue;
    ++cell.runs_ok;
    for (const auto& figure : run.result.figures) figures[figure.name].push_back(figure.estimate.value);
    for (const auto& phase : run.result.phases) phases[phase.name].push_back(phase.end_s - phase.begin_s);
    for (const auto& stage : run.result.stages) stages[stage.name].push_back(1e3 * stage.busy_s / 100);
    cell.telemetry = run.result.telemetry;
  }
  for (auto& [from, to] :
       {std::pair{&figures, &cell.figures}, {&phases, &cell.phases_s}, {&stages, &cell.stages_ms}})
    for (const auto& [name, values] : *from) (*to)[name] = stats::mean_estimate(values);
  set(cell.facts, fact::training_time, "measured");
  set(cell.facts, fact::cores, factors.at("threads").get<std::int64_t>());
  cell.verdict = Verdict::valid;
  return cell;
}

}  // namespace

Document training_document(const TrainingOptions& options) {
  Document document{
      .experiment = {.id = 11,
                     .created = "2026-03-14T09:26:53Z",
                     .workload = "train",
                     .spec = {{"model", "mnist-cnn"}, {"data", "fashion-mnist"}, {"epochs", epochs}},
                     .repeat = options.repeat,
                     .version = "0.1.0",
                     .command = "neph train mnist-cnn --data fashion-mnist --threads 1,2,4"},
      .machines = {sample_machine()}};
  document.machines.front().fingerprint["effective_cores"] = std::ranges::max(options.cores);
  auto& factors = document.experiment.factors;
  if (!options.batches.empty())
    factors.push_back({"batch", {options.batches.begin(), options.batches.end()}});
  factors.push_back({"threads", {options.cores.begin(), options.cores.end()}});
  if (!options.places.empty()) factors.push_back({"in", {options.places.begin(), options.places.end()}});
  std::vector<Json> cells{Json::object()};
  for (const auto& factor : factors) {
    std::vector<Json> more;
    for (const auto& cell : cells)
      for (const auto& value : factor.values) {
        more.push_back(cell);
        more.back()[factor.name] = value;
      }
    cells = std::move(more);
  }
  Random random(17);
  for (std::int64_t repeat = 0; repeat < options.repeat; ++repeat)
    for (std::int64_t cell = 0; cell < std::ssize(cells); ++cell)
      document.runs.push_back({.id = std::ssize(document.runs) + 1,
                               .experiment_id = 11,
                               .cell = cell,
                               .repeat = repeat,
                               .position = std::ssize(document.runs),
                               .machine_id = 1,
                               .wall_s = 20,
                               .result = result_of(options, cells[cell], random)});
  for (std::int64_t cell = 0; cell < std::ssize(cells); ++cell)
    document.cells.push_back(summary_of(cell, cells[cell], document.runs));
  return document;
}

Document command_document(const TrainingOptions& options) {
  auto document = training_document(options);
  document.experiment.workload = "command";
  document.experiment.spec = {{"command", "python train.py"}};
  document.experiment.command = "neph train --threads 1,2,4 -- python train.py";
  for (auto& cell : document.cells) cell.stages_ms.clear();
  return document;
}

Document with_costs(Document document) {
  document.experiment.price = "3.6USD/h";
  document.currency = "USD";
  for (auto& cell : document.cells) {
    if (cell.runs_ok == 0) continue;
    cell.costs = {{assumed_part("boot"), {.value = 0.04, .n = 1}},
                  {"data_load", {.value = 0.01, .n = 1}},
                  {"learn", {.value = 0.1 * static_cast<double>(cell.cell.index + 1), .n = 1}},
                  {std::string(rounding_part), {.value = 0.005, .n = 1}}};
    cell.figures["cost_per_million"] = {.value = 0.25, .low = 0.2, .high = 0.3, .n = 3};
    cell.figures["cost_of_run"] = {.value = 0.055 + 0.1 * static_cast<double>(cell.cell.index + 1), .n = 3};
  }
  return document;
}

}  // namespace neph::report
