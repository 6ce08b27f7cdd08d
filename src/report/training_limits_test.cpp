#include "report/training_limits.hpp"

#include <gmock/gmock.h>

#include "report/charts/drawn_test.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(TrainingLimits, NameTheCores) {
  const auto said = limit_findings(training_document({.cores = {1, 2, 4}}));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0], "With threads 4, cores are the limit: it used 4.00 of 4 cores.");
}

TEST(TrainingLimits, GuessMemoryBandwidthWhereBusyCoresStopHelping) {
  const auto said = limit_findings(training_document({.cores = {1, 2, 4, 8}, .serial = 0.3}));
  EXPECT_THAT(said[0], AllOf(HasSubstr("memory bandwidth is probably the limit"),
                             HasSubstr("from 4 to 8 it is 1."), HasSubstr("not measured")));
}

TEST(TrainingLimits, NameTheInput) {
  auto document = training_document({});
  for (auto& cell : document.cells) cell.stages_ms["wait"] = cell.stages_ms["step"];
  EXPECT_THAT(limit_findings(document)[0],
              HasSubstr("input is a limit: it waited for the next batch 50 % of the time"));
}

TEST(TrainingLimits, NameLaunchOverheadOnlyFromThreeBatches) {
  TrainingOptions options{.cores = {1}, .batches = {8, 16, 32}, .fixed_s = 0.05};
  const auto said = limit_findings(training_document(options));
  EXPECT_THAT(said[0], AllOf(HasSubstr("launch overhead is the limit: 7"), HasSubstr("95 % CI 7")));
  options.batches = {16, 32};
  EXPECT_THAT(limit_findings(training_document(options)), Each(Not(HasSubstr("launch"))));
}

TEST(TrainingLimits, NameTheGpu) {
  auto document = training_document({});
  auto& cell = document.cells.back();
  cell.telemetry.push_back(
      {.target = "gpu0", .name = "utilisation", .unit = "percent", .mean = 96, .max = 100});
  EXPECT_THAT(limit_findings(document)[0], HasSubstr("the GPU is the limit: it was busy 96.0 %"));
}

TEST(TrainingLimits, AreUndecidedWhereTheDataDoNotTell) {
  auto document = training_document({});
  for (auto& cell : document.cells)
    for (auto& series : cell.telemetry)
      if (series.name == "cpu") series.mean = 0.4;
  EXPECT_THAT(
      limit_findings(document)[0],
      HasSubstr("no limit was found: it used 0.400 of 4 cores, it waited for data 0.10 % of the time."));
  for (auto& cell : document.cells) {
    cell.telemetry.clear();
    cell.stages_ms.clear();
  }
  EXPECT_THAT(limit_findings(document)[0],
              HasSubstr("no limit was found: neither CPU time, waiting nor GPU use was measured."));
  document.cells.clear();
  EXPECT_TRUE(limit_findings(document).empty());
}

TEST(TrainingLimits, NameOthersWhoFillTheMachine) {
  auto document = training_document({});
  for (auto& cell : document.cells) {
    for (auto& series : cell.telemetry)
      if (series.name == "cpu") series.mean = 0.5;
    cell.telemetry.push_back({.target = "machine", .name = "cpu", .unit = "cores", .mean = 1.95});
  }
  EXPECT_THAT(limit_findings(document)[0], HasSubstr("no limit was found: it used 0.500 of 4 cores"))
      << "it may have slept";
  for (auto& cell : document.cells)
    cell.telemetry.push_back({.target = "engine", .name = "cpu_wait", .unit = "cores", .mean = 2});
  EXPECT_THAT(
      limit_findings(document)[0],
      HasSubstr("other processes are the limit: it used 0.500 of 4 cores, and other processes used 1.45."));
}

TEST(TrainingLimits, KeepNetworksAndDevicesApart) {
  auto document = training_document({});
  document.cells[0].cell.factors["device"] = "cpu";
  document.cells[1].cell.factors["device"] = "cuda";
  document.cells[2].cell.factors["device"] = "cpu";
  const auto said = limit_findings(document);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_THAT(said[0], StartsWith("cpu, with threads 4: cores are the limit"));
  EXPECT_THAT(said[1], StartsWith("cuda, with threads 2: "));
}

TEST(TrainingMemory, HasGpusWhereTheyAre) {
  auto document = training_document();
  EXPECT_EQ(draw("peak_memory", document).panels.size(), 1U);
  const SeriesSummary gpu{
      .target = "gpu0", .name = "memory_used", .unit = "bytes", .mean = 1e9, .max = 1 << 30};
  for (auto& run : document.runs) run.result.telemetry.push_back(gpu);
  for (auto& cell : document.cells) cell.telemetry.push_back(gpu);
  const auto drawing = draw("peak_memory", document);
  ASSERT_EQ(drawing.panels.size(), 2U);
  EXPECT_EQ(rows_of(drawing.panels[1]).size(), 3U);
  EXPECT_EQ(rows_of(drawing.panels[1])[0]["value"], 1024);
}

}  // namespace
}  // namespace neph::report
