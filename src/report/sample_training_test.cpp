#include <cmath>

#include <fmt/format.h>

#include "core/random.hpp"
#include "record/samples.hpp"
#include "report/readings.hpp"
#include "report/sample_document_test.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

constexpr std::int64_t repeats = 3, epochs = 3, steps_per_epoch = 40, batch = 128;

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

RunResult result_of(double step_s, double cores, Random& random) {
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
                    figure(metric::training_s, {.value = mean_s * steps_per_epoch * epochs + 0.5, .n = 1}),
                    figure(metric::test_accuracy, {.value = 0.89 + 0.002 * random.normal(), .n = 1})};
  result.stages = {{"fill", 0.01 * sum_s, 100}, {"wait", 0.001 * sum_s, 100}, {"step", sum_s, 100}};
  result.telemetry = {{.target = "process", .name = "cpu", .unit = "cores", .mean = cores, .max = cores},
                      {.target = "process", .name = "memory_peak", .unit = "bytes", .mean = 2e8, .max = 2e8}};
  result.series = series_of(cores);
  return result;
}

CellSummary summary_of(std::int64_t index, double threads, const std::vector<Run>& runs) {
  CellSummary cell{.cell = {.index = index,
                            .factors = {{"threads", threads}},
                            .spec = {{"model", "mnist-cnn"}, {"threads", threads}, {"epochs", epochs}},
                            .label = fmt::format("threads {}", threads)},
                   .runs_ok = repeats};
  std::map<std::string, std::vector<double>> figures, phases, stages;
  for (const auto& run : runs) {
    if (run.cell != index) continue;
    for (const auto& figure : run.result.figures) figures[figure.name].push_back(figure.estimate.value);
    for (const auto& phase : run.result.phases) phases[phase.name].push_back(phase.end_s - phase.begin_s);
    for (const auto& stage : run.result.stages) stages[stage.name].push_back(1e3 * stage.busy_s / 100);
    cell.telemetry = run.result.telemetry;
  }
  for (auto& [from, to] :
       {std::pair{&figures, &cell.figures}, {&phases, &cell.phases_s}, {&stages, &cell.stages_ms}})
    for (const auto& [name, values] : *from) (*to)[name] = stats::mean_estimate(values);
  set(cell.facts, fact::training_time, "measured");
  set(cell.facts, fact::cores, static_cast<std::int64_t>(threads));
  cell.verdict = Verdict::valid;
  return cell;
}

}  // namespace

Document training_document() {
  Document document{
      .experiment = {.id = 11,
                     .created = "2026-03-14T09:26:53Z",
                     .workload = "train",
                     .spec = {{"model", "mnist-cnn"}, {"data", "fashion-mnist"}, {"epochs", epochs}},
                     .repeat = repeats,
                     .version = "0.1.0",
                     .command = "neph train mnist-cnn --data fashion-mnist --threads 1,2,4"},
      .machines = {sample_machine()}};
  document.experiment.factors = {{"threads", {1, 2, 4}}};
  Random random(17);
  for (std::int64_t repeat = 0; repeat < repeats; ++repeat)
    for (std::int64_t cell = 0; const double threads : {1.0, 2.0, 4.0})
      document.runs.push_back({.id = std::ssize(document.runs) + 1,
                               .experiment_id = 11,
                               .cell = cell++,
                               .repeat = repeat,
                               .position = std::ssize(document.runs),
                               .machine_id = 1,
                               .wall_s = 20,
                               .result = result_of(0.06 * (0.1 + 0.9 / threads), threads, random)});
  for (std::int64_t cell = 0; const double threads : {1.0, 2.0, 4.0}) {
    document.cells.push_back(summary_of(cell, threads, document.runs));
    ++cell;
  }
  return document;
}

}  // namespace neph::report
