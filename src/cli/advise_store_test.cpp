#include "cli/advise_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/telemetry.hpp"
#include "record/views.hpp"

namespace neph::cli {
namespace {

using testing::HasSubstr;

Estimate about(double value) { return {.value = value, .low = 0.9 * value, .high = 1.1 * value, .n = 3}; }

CellSummary trained_on(std::int64_t index, std::int64_t threads, double learn_s) {
  CellSummary cell{.cell = {.index = index,
                            .factors = {{"threads", threads}},
                            .spec = {{"threads", threads}, {"device", "cpu"}, {"in", "process"}},
                            .label = fmt::format("threads {}", threads)},
                   .runs_ok = 3};
  cell.phases_s["learn"] = about(learn_s);
  cell.phases_s["save"] = about(2);
  set(cell.facts, fact::cores, threads);
  cell.telemetry = {{.target = "process", .name = "memory_resident", .unit = "bytes", .max = 3e9},
                    {.target = "machine", .name = "memory_used", .unit = "bytes", .max = 30e9}};
  return cell;
}

report::Document trained() {
  report::Document document;
  document.experiment.id = 12;
  document.experiment.workload = view::train.workload;
  document.experiment.factors = {{.name = "threads", .values = {4, 8}}};
  document.machines = {{.id = 5,
                        .processor = "Intel Xeon",
                        .cores = 16,
                        .gpu = "Tesla T4",
                        .gpus = 1,
                        .fingerprint = {{"processor", {{"architecture", "x86_64"}}}}}};
  document.cells = {trained_on(0, 4, 100), trained_on(1, 8, 60)};
  for (std::int64_t cell : {0, 1}) document.runs.push_back({.cell = cell, .machine_id = 5});
  return document;
}

TEST(StoredConfigurations, HaveWhatTheyTookAndUsed) {
  const auto all = configurations_of(trained(), {}).value();
  ASSERT_EQ(all.size(), 2u);
  const auto& four = all[0];
  EXPECT_EQ(four.work.name, "threads 4");
  EXPECT_EQ(four.needs.cores, 4);
  EXPECT_EQ(four.needs.gpus, 0);
  EXPECT_EQ(four.needs.memory_bytes, 3e9) << "of the run, and not of its machine";
  EXPECT_EQ(four.needs.arch, "x86_64");
  EXPECT_EQ(four.place, "process");
  EXPECT_EQ(four.family, "");
  EXPECT_EQ(four.repeats, 3);
  EXPECT_THAT(four.machine, HasSubstr("Intel Xeon"));
  ASSERT_EQ(four.work.stages.size(), 2u);
  EXPECT_EQ(four.work.stages[0].seconds.value, 100);
}

TEST(StoredConfigurations, OnAGpuNameItsModel) {
  auto document = trained();
  document.cells[1].cell.spec["device"] = "cuda";
  document.cells[1].cell.spec["gpus"] = 1;
  const auto all = configurations_of(document, {}).value();
  EXPECT_EQ(all[1].needs.gpus, 1);
  EXPECT_EQ(all[1].needs.gpu, "Tesla T4");
}

TEST(StoredConfigurations, OnAGpuThatNobodyKnowsAreRefused) {
  auto document = trained();
  document.cells[1].cell.spec["device"] = "cuda";
  document.runs[1].machine_id.reset();
  const auto all = configurations_of(document, {}).value();
  EXPECT_EQ(all[0].refused, "") << "of cores a machine need not be known";
  EXPECT_THAT(all[1].refused, HasSubstr("which one is not known"));
}

TEST(StoredConfigurations, WithoutATimeSayWhy) {
  auto document = trained();
  document.cells[0].runs_ok = 0;
  document.cells[0].failures = {"out of memory"};
  document.cells[1].verdict = Verdict::invalid;
  const auto all = configurations_of(document, {}).value();
  EXPECT_EQ(all[0].refused, "its runs failed: out of memory");
  EXPECT_THAT(all[1].refused, HasSubstr("invalid"));
}

TEST(StoredConfigurations, ThatDoDifferentJobsAreNoChoice) {
  auto document = trained();
  document.experiment.factors.push_back({.name = "model", .values = {"a", "b"}});
  document.cells[0].cell.factors["model"] = "a";
  document.cells[1].cell.factors["model"] = "b";
  EXPECT_THAT(configurations_of(document, {}).error().text(), HasSubstr("--where model=a"));
  EXPECT_EQ(configurations_of(document, {"model=b"}).value().at(0).work.name, "threads 8");
  EXPECT_THAT(configurations_of(document, {"modle=b"}).error().text(), HasSubstr("did you mean 'model'?"));
  EXPECT_THAT(configurations_of(document, {"model=c"}).error().text(),
              HasSubstr("no configuration of experiment 12"));
}

report::Document loaded() {
  auto document = trained();
  document.experiment.workload = view::load.workload;
  for (auto& cell : document.cells) {
    cell.cell.spec = {
        {"url", "http://node2:8000"}, {"model", "resnet50"}, {"rate", 100}, {"arrival", "auto"}};
    cell.figures["requests_per_s"] = about(100);
    cell.figures["offered_per_s"] = about(100.3);
  }
  document.cells[0].latency_ms["p99"] = {.value = 80, .low = 75, .high = 99, .n = 3};
  document.cells[1].latency_ms["p99"] = {.value = 95, .low = 90, .high = 104, .n = 3};
  return document;
}

TEST(StoredCapacities, OfAnOpenLoopKeepToTheObjectiveWithTheirInterval) {
  auto document = loaded();
  const auto all = capacities_of(document, {}, 0.1).value();
  EXPECT_EQ(all[0].sustained_per_s.value, 100) << "what was asked for, and not how it fell";
  EXPECT_EQ(all[0].unfit, "");
  EXPECT_FALSE(all[0].is_closed_loop);
  EXPECT_EQ(all[1].unfit, "its p99 is 95.0 (90.0 to 104) ms, and should be within 100 ms");
  EXPECT_EQ(capacities_of(document, {}, 0).value()[1].unfit, "");
  document.cells[0].figures["requests_per_s"] = about(80);
  EXPECT_EQ(capacities_of(document, {}, 0.1).value()[0].unfit, "it answered 80.0 of 100 requests/s");
  document.cells[1].latency_ms["p99"].low.reset();
  EXPECT_THAT(capacities_of(document, {}, 0.1).value()[1].unfit, HasSubstr("too few"));
}

TEST(StoredCapacities, OfAClosedLoopAnswerNoP99) {
  auto document = loaded();
  document.cells[0].cell.spec["rate"] = 0;
  document.cells[1].cell.spec["arrival"] = "closed";
  const auto limited = capacities_of(document, {}, 10);
  for (const auto& each : *limited) {
    EXPECT_THAT(each.unfit,
                HasSubstr("run neph load http://node2:8000 --model resnet50 --find-max-rate --p99 10s"));
    EXPECT_TRUE(each.is_closed_loop);
  }
  const auto unlimited = capacities_of(document, {}, 0);
  for (const auto& each : *unlimited) EXPECT_EQ(each.unfit, "");
  document.cells[0].cell.spec["find_max_rate"] = true;
  EXPECT_THAT(capacities_of(document, {}, 10).value()[0].unfit, HasSubstr("no rate that meets"));
  document.experiment.workload = view::infer.workload;
  document.cells[1].cell.spec = {{"model", "nets/resnet50.onnx"}};
  EXPECT_THAT(capacities_of(document, {}, 0.01).value()[1].unfit,
              HasSubstr("run neph serve nets/resnet50.onnx, and beside it neph load grpc://127.0.0.1:8001 "
                        "--model resnet50 --find-max-rate --p99 10ms"));
}

TEST(StoredCapacities, OfDifferentModelsAreNoChoice) {
  auto document = trained();
  document.experiment.workload = view::infer.workload;
  document.experiment.factors.push_back({.name = "model", .values = {"a", "b"}});
  document.cells[0].cell.factors["model"] = "a";
  document.cells[1].cell.factors["model"] = "b";
  EXPECT_THAT(capacities_of(document, {}, 0).error().text(), HasSubstr("--where model=a"));
}

TEST(StoredCapacities, OfASearchHaveItsObjective) {
  auto document = trained();
  document.experiment.workload = view::load.workload;
  for (auto& cell : document.cells) cell.figures["sustained_per_s"] = about(100);
  document.cells[0].cell.spec["p99"] = "50ms";
  document.cells[1].cell.spec["p99"] = "200ms";
  const auto all = capacities_of(document, {}, 0.1).value();
  EXPECT_EQ(all[0].unfit, "");
  EXPECT_THAT(all[1].unfit, HasSubstr("searched for with a p99 within 200 ms"));
  EXPECT_FALSE(all[0].configuration.needs.memory_bytes) << "the load generator is not rented";
}

}  // namespace
}  // namespace neph::cli
