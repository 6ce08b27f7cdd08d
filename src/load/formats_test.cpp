#include "load/formats.hpp"

#include <gmock/gmock.h>

namespace neph::load {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

CellSummary cell(double per_s) {
  CellSummary made{.runs_ok = 1};
  const auto put = [&](const char* name, double value) { made.figures[name] = {.value = value, .n = 5000}; };
  put("inferences_per_s", per_s);
  put("offered_per_s", per_s);
  put("requests_answered", 5000);
  put("late_share", 0.001);
  for (const auto* name : {"min", "mean", "max", "p50", "p90", "p95", "p99", "p999"})
    put(fmt::format("response_{}_ms", name).c_str(), 12.5);
  made.stages_ms["server_queue"] = {.value = 0.5};
  made.stages_ms["server_infer"] = {.value = 10};
  made.stages_ms["network"] = {.value = 0.2};
  made.stages_ms["unexplained"] = {.value = 0.1};
  made.phases_s["measure"] = {.value = 60};
  return made;
}

TEST(Formats, PerfAnalyzersTableRisesWithTheThroughput) {
  const auto fast = cell(84.2), slow = cell(69.25);
  const auto csv = perf_analyzer_csv(
      {{.cell = &fast, .closed = true, .level = 3}, {.cell = &slow, .closed = true, .level = 1}});
  EXPECT_EQ(
      *csv,
      "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute "
      "Input,Server "
      "Compute Infer,Server Compute Output,Client Recv,p50 latency,p90 latency,p95 latency,p99 latency\n"
      "1,69.25,0,300,500,0,10000,0,0,12500,12500,12500,12500\n"
      "3,84.2,0,300,500,0,10000,0,0,12500,12500,12500,12500\n");
  EXPECT_THAT(*perf_analyzer_csv({{.cell = &fast, .level = 20}}),
              StartsWith("Request Rate,Inferences/Second,"));
  EXPECT_FALSE(perf_analyzer_csv({{.cell = &fast, .closed = true}, {.cell = &slow}}));
  EXPECT_FALSE(perf_analyzer_csv({}));
}

TEST(Formats, LoadGensSummarySaysWhetherTheRunIsValid) {
  auto measured = cell(99.5);
  Tested tested{.cell = &measured,
                .server = "grpc://x:1",
                .scenario = Scenario::server,
                .level = 100,
                .duration_s = 60,
                .promise = {.q = 0.99, .limit_s = 0.05}};
  const auto text = *mlperf_summary({tested});
  EXPECT_THAT(text, HasSubstr("Scenario : Server\n"));
  EXPECT_THAT(text, HasSubstr("Completed samples per second    : 99.50\nResult is : VALID\n"));
  EXPECT_THAT(text, HasSubstr("99.00 percentile latency (ns)   : 12500000\n"));
  EXPECT_THAT(text, HasSubstr("target_latency (ns): 50000000\n"));
  measured.figures["late_share"].value = 0.02;
  EXPECT_THAT(*mlperf_summary({tested}),
              HasSubstr("Result is : INVALID\n  Performance constraints satisfied : NO"));
  measured.figures["late_share"].value = 0.0085;
  EXPECT_THAT(*mlperf_summary({tested}), HasSubstr("Early stopping satisfied: NO"));
  measured.figures["late_share"].value = 0;
  measured.verdict = Verdict::invalid;
  measured.warnings = {
      {WarningCode::generator_saturated, "the generator was the bottleneck", "", Weight::voids}};
  EXPECT_THAT(*mlperf_summary({tested}),
              AllOf(HasSubstr("Result is : INVALID"),
                    HasSubstr("  Measurement valid : NO (the generator was the bottleneck)\n")));
  measured.warnings = {};
  measured.verdict = Verdict::doubtful;
  EXPECT_THAT(*mlperf_summary({tested}), HasSubstr("Result is : VALID")) << "LoadGen has no doubts";
  tested.count = 100;
  measured.phases_s["measure"].value = 0.5;
  EXPECT_THAT(*mlperf_summary({tested}),
              AllOf(HasSubstr("Result is : INVALID"),
                    HasSubstr("Min duration satisfied : NO\n  Min queries satisfied : Yes")))
      << "enough queries in too short a time";
  tested.duration_s = 0;
  EXPECT_THAT(*mlperf_summary({tested}), AllOf(HasSubstr("Min duration satisfied : Yes"),
                                               HasSubstr("target_qps : 0\n"), HasSubstr("(ms): 0\n")))
      << "none was asked for";
  tested.scenario = Scenario::single_stream;
  EXPECT_THAT(*mlperf_summary({tested}), HasSubstr("90.0th percentile latency (ns) : 12500000\n"));
  tested.scenario = Scenario::none;
  EXPECT_FALSE(mlperf_summary({tested}));
}

}  // namespace
}  // namespace neph::load
