#include "report/run_figures.hpp"

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "record/metrics.hpp"
#include "record/samples.hpp"
#include "record/telemetry.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

std::optional<double> figure_of(const Document& document, const Run& run, std::string_view name) {
  const auto figures = figures_of(document, run);
  const auto found = std::ranges::find(figures, name, [](const auto& each) { return each.first; });
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

/// A run with telemetry of its own alone.
Run run_with(std::vector<SeriesSummary> telemetry, const Metric& metric, double value) {
  Run run;
  run.result.telemetry = std::move(telemetry);
  run.result.figures.push_back(figure(metric, {.value = value, .n = 1}));
  return run;
}

SeriesSummary seen(std::string_view target, const Metric& quantity, double mean, double max) {
  return {.target = std::string(target), .name = std::string(quantity.name), .mean = mean, .max = max};
}

Document of_workload(std::string workload) {
  Document document;
  document.experiment.workload = std::move(workload);
  return document;
}

TEST(RunFigures, KeepWhatTheRunTold) {
  const auto document = sample_document({.batches = {1}, .precisions = {"f32"}, .modes = {"sync"}});
  const auto& run = document.runs.front();
  for (const auto& told : run.result.figures)
    EXPECT_EQ(figure_of(document, run, told.name), told.estimate.value) << told.name;
}

TEST(RunFigures, PercentilesAreOfTheRunsOwnBatchesWhereTheyAreManyEnough) {
  const auto document =
      sample_document({.batches = {1}, .precisions = {"f32"}, .modes = {"sync"}, .samples = 121});
  const auto& run = document.runs.front();
  auto ms = latencies_ms(run.result);
  ASSERT_EQ(ms.size(), 121u);
  std::ranges::sort(ms);
  EXPECT_EQ(figure_of(document, run, "latency_p50_ms"), ms[60]);
  EXPECT_EQ(figure_of(document, run, "latency_p90_ms"), ms[108]);
  EXPECT_EQ(figure_of(document, run, "latency_p95_ms"), ms[114]);
  EXPECT_FALSE(figure_of(document, run, "latency_p99_ms")) << "needs 299";
  auto without = run;
  without.result.samples.clear();
  EXPECT_FALSE(figure_of(document, without, "latency_p50_ms")) << "samples were not loaded";
}

TEST(RunFigures, MemoryAndCpuTimeAreTheApplications) {
  const auto infer = of_workload("infer");
  const auto alone = run_with(
      {seen(target::process, telemetry::memory_peak, 0, 7e8), seen(target::process, telemetry::cpu, 1.5, 2)},
      metric::images_per_s, 50);
  EXPECT_EQ(figure_of(infer, alone, "peak_memory_bytes"), 7e8);
  EXPECT_DOUBLE_EQ(*figure_of(infer, alone, "cpu_ms_per_item"), 30);
  const auto served = run_with(
      {seen(target::client, telemetry::memory_peak, 0, 1e8), seen(target::client, telemetry::cpu, 0.5, 1),
       seen(target::server, telemetry::memory_peak, 0, 6e8), seen(target::server, telemetry::cpu, 1.5, 2)},
      metric::images_per_s, 50);
  EXPECT_EQ(figure_of(infer, served, "peak_memory_bytes"), 7e8);
  EXPECT_DOUBLE_EQ(*figure_of(infer, served, "cpu_ms_per_item"), 40);
}

TEST(RunFigures, OfLoadTheyAreTheServers) {
  const auto load = of_workload("load");
  auto run = run_with(
      {seen(target::process, telemetry::memory_peak, 0, 1e8), seen(target::process, telemetry::cpu, 0.5, 1)},
      metric::requests_per_s, 100);
  EXPECT_FALSE(figure_of(load, run, "peak_memory_bytes")) << "the generator's is no answer";
  EXPECT_FALSE(figure_of(load, run, "cpu_ms_per_item"));
  run.result.telemetry.push_back(seen(target::server, telemetry::memory_peak, 0, 6e8));
  run.result.telemetry.push_back(seen(target::server, telemetry::cpu, 1.5, 2));
  EXPECT_EQ(figure_of(load, run, "peak_memory_bytes"), 6e8);
  EXPECT_DOUBLE_EQ(*figure_of(load, run, "cpu_ms_per_item"), 15);
  run.result.probes.emplace_back();
  EXPECT_FALSE(figure_of(load, run, "cpu_ms_per_item")) << "a search has no one rate";
}

TEST(RunFigures, OfACommandThereIsNoItem) {
  const auto run = run_with({seen(target::process, telemetry::cpu, 1.5, 2)}, metric::command_s, 50);
  EXPECT_FALSE(figure_of(of_workload("command"), run, "cpu_ms_per_item"));
}

TEST(RunFigures, OfARunThatFailedThereIsWhatItTold) {
  auto run = run_with({seen(target::process, telemetry::memory_peak, 0, 7e8)}, metric::images_per_s, 50);
  run.status = RunStatus::failed;
  EXPECT_EQ(figures_of(of_workload("infer"), run).size(), 1u);
}

}  // namespace
}  // namespace neph::report
