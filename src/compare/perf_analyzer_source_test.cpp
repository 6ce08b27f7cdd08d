#include "compare/sources_test.hpp"

namespace neph::compare {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(PerfAnalyzer, ARowIsARunAtItsConcurrency) {
  const auto source = golden("perf_analyzer.csv");
  EXPECT_EQ(source.kind, "perf_analyzer");
  EXPECT_THAT(labels(source),
              ElementsAre("concurrency 1", "concurrency 2", "concurrency 3", "concurrency 4"));
  const auto& fourth = source.configurations[3];
  EXPECT_EQ(fourth.factors, (Json{{"concurrency", 4.0}}));
  ASSERT_EQ(fourth.runs.size(), 1u);
  const auto& metrics = fourth.runs[0].metrics;
  EXPECT_EQ(metrics.at("inferences_per_s"), 11780.9);
  EXPECT_THAT(metrics.at("latency_p50_ms"), DoubleEq(0.286));
  EXPECT_THAT(metrics.at("latency_p99_ms"), DoubleEq(1.466));
  EXPECT_THAT(metrics.at("stage_network_ms"), DoubleEq(0.332));
  EXPECT_FALSE(metrics.contains("stage_server_queue_ms")) << "0 µs: too short to be told";
}

TEST(PerfAnalyzer, OrAtItsRate) {
  const auto source = golden("perf_analyzer_rate.csv");
  EXPECT_THAT(labels(source), ElementsAre("request rate 20", "request rate 60"));
  EXPECT_EQ(source.configurations[1].factors, (Json{{"request_rate", 60.0}}));
  const auto& metrics = source.configurations[0].runs[0].metrics;
  EXPECT_THAT(metrics.at("stage_server_infer_ms"), DoubleEq(10.058));
  EXPECT_THAT(metrics.at("stage_server_decode_ms"), DoubleEq(0.026));
  EXPECT_THAT(metrics.at("stage_send_ms"), DoubleEq(0.017));
}

TEST(PerfAnalyzer, FurtherPercentilesAreKeptAndColumnsOfOtherUnitsLeftOut) {
  const auto metrics = golden("perf_analyzer_verbose.csv").configurations[0].runs[0].metrics;
  EXPECT_THAT(metrics.at("latency_p97_ms"), DoubleEq(0.194));
  EXPECT_EQ(metrics.size(), 9u) << "request/response and response wait are parts of parts";
}

TEST(PerfAnalyzer, TablesOfAnEnsemblesModelsAreLeftOut) {
  const auto source =
      parsed("Concurrency,Inferences/Second,p50 latency\n1,100,10000\n\nComposing models:\nName:,x\n");
  EXPECT_THAT(labels(source), ElementsAre("concurrency 1"));
  EXPECT_EQ(values(source.configurations[0], "latency_p50_ms"), std::vector{10.0});
}

TEST(PerfAnalyzer, TheSameLevelAgainIsAnotherRun) {
  const auto source = parsed("Concurrency,Inferences/Second\r\n1,100\r\n2,150\r\n1,110\r\n");
  EXPECT_THAT(values(source.configurations[0], "inferences_per_s"), ElementsAre(100, 110));
  EXPECT_THAT(blocks(source.configurations[0]), ElementsAre(0, 1));
}

TEST(PerfAnalyzer, ARowWithoutAnInferenceIsAFailureAndNoRun) {
  const auto source = parsed("Concurrency,Inferences/Second,p50 latency\n1,0,0\n");
  EXPECT_TRUE(source.configurations[0].runs.empty());
  EXPECT_THAT(source.configurations[0].failures, ElementsAre("no inference was completed"));
}

TEST(PerfAnalyzer, AColumnOfFailuresIsOne) {
  const auto source = parsed("Concurrency,Inferences/Second,Failed Request Count\n1,100,0\n2,190,7\n");
  EXPECT_TRUE(source.configurations[0].failures.empty());
  EXPECT_THAT(source.configurations[1].failures, ElementsAre("Failed Request Count: 7"));
}

TEST(PerfAnalyzer, WhatWouldMakeAWrongNumberIsRefusedWithItsPlace) {
  EXPECT_EQ(message("Concurrency,Inferences/Second,p50 latency\n1,100,5\n2,fast,5\n"),
            "t: row 2, Inferences/Second: expected a number, got 'fast'; write it again: "
            "perf_analyzer -f FILE");
  EXPECT_THAT(message("Concurrency,Inferences/Second,p50 latency\n1,100,-5\n"),
              HasSubstr("row 1, p50 latency: expected a number that is not below 0, got '-5'"));
  EXPECT_THAT(message("Concurrency,Inferences/Second\n1,inf\n"), HasSubstr("row 1, Inferences/Second"));
  EXPECT_THAT(message("Concurrency,Inferences/Second\n1,100\nConcurrency,Inferences/Second\n1,100\n"),
              HasSubstr("row 2, Concurrency: expected a number"))
      << "two files in one";
  EXPECT_THAT(message("Concurrency,Inferences/Second\n,100\n"), HasSubstr("row 1, Concurrency: is empty"));
  EXPECT_THAT(message("Concurrency,Inferences/Second\n1,100,7\n"), HasSubstr("line 2"));
  EXPECT_THAT(message("Concurrency,Inferences/Second\n"), HasSubstr("t: "));
}

}  // namespace
}  // namespace neph::compare
