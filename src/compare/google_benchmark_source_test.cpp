#include <cmath>

#include "compare/sources_test.hpp"

namespace neph::compare {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(GoogleBenchmark, ARepetitionIsARun) {
  const auto source = golden("google_benchmark.json");
  EXPECT_EQ(source.kind, "google-benchmark");
  EXPECT_THAT(labels(source), ElementsAre("sum/1024", "broken", "sum/4096")) << "fits of complexity are none";
  const auto& first = source.configurations[0];
  EXPECT_THAT(values(first, "real_time_s"),
              ElementsAre(DoubleEq(0.790280357689536e-6), DoubleEq(0.8799701833305419e-6),
                          DoubleEq(0.7020775579585435e-6)));
  EXPECT_THAT(values(first, "cpu_time_s")[0], DoubleEq(0.5592447959554953e-6));
  EXPECT_THAT(values(first, "items_per_s")[0], 1831040731.0101998);
  EXPECT_THAT(values(first, "bytes_per_s")[0], 7324162924.040799);
  EXPECT_THAT(values(first, "additions")[2], 2171452560.8800344) << "a counter of the author's";
  EXPECT_THAT(values(first, "depth"), ElementsAre(3, 3, 3));
  EXPECT_EQ(first.runs[0].metrics.size(), 6u);
  EXPECT_THAT(blocks(first), ElementsAre(0, 1, 2));
  EXPECT_TRUE(first.means.empty()) << "the runs say it";
}

TEST(GoogleBenchmark, ItsContextIsAFact) {
  const auto facts = golden("google_benchmark.json").configurations[0].facts;
  EXPECT_EQ(facts.at("machine"), "host, 2 CPUs, 2100 MHz") << "of 2096";
  EXPECT_EQ(facts.at("build"), "debug");
}

TEST(GoogleBenchmark, AnErrorIsAFailureAndNoRun) {
  const auto broken = golden("google_benchmark.json").configurations[1];
  EXPECT_TRUE(broken.runs.empty());
  EXPECT_TRUE(broken.doubts.empty());
  EXPECT_THAT(broken.failures, ElementsAre("failed: no such file"));
}

TEST(GoogleBenchmark, WhatItsAuthorSkippedIsNoFailure) {
  const auto skipped = parsed(R"({"benchmarks": [{"run_name": "b", "run_type": "iteration", "skipped": true,
                                                  "skip_message": "no GPU"}]})");
  EXPECT_THAT(skipped.configurations[0].doubts, ElementsAre("skipped: no GPU"));
  EXPECT_TRUE(skipped.configurations[0].failures.empty());
}

TEST(GoogleBenchmark, AggregatesAloneAreMeansWithStudentsInterval) {
  const auto source = golden("google_benchmark_aggregates.json");
  const auto& only = source.configurations[0];
  EXPECT_EQ(only.label, "warmup_batch");
  EXPECT_TRUE(only.runs.empty());
  const auto& mean = only.means.at("real_time_s");
  EXPECT_EQ(mean.n, 3);
  EXPECT_THAT(mean.value, DoubleEq(1.9582874069992997e-6));
  const double half = 4.302652729911275 * 6.6324345550932321e-8 / std::sqrt(3.0);  // R: qt(.975, 2)
  EXPECT_THAT(*mean.low, DoubleNear(mean.value - half, 1e-15));
  EXPECT_THAT(*mean.high, DoubleNear(mean.value + half, 1e-15));
  EXPECT_THAT(only.doubts, ElementsAre(HasSubstr("cpu_scaling")));
}

std::string row(const std::string& keys) {
  return R"({"benchmarks": [{"run_name": "b", "run_type": "iteration", )" + keys + "}]}";
}

TEST(GoogleBenchmark, EveryUnitOfTime) {
  for (const auto& [unit, seconds] :
       {std::pair{"ns", 2e-9}, std::pair{"us", 2e-6}, std::pair{"ms", 2e-3}, std::pair{"s", 2.0}}) {
    const auto source =
        parsed(row(std::string(R"("real_time": 2, "cpu_time": 1, "time_unit": ")") + unit + '"'));
    EXPECT_THAT(values(source.configurations[0], "real_time_s"), ElementsAre(DoubleEq(seconds)));
  }
}

TEST(GoogleBenchmark, ACounterThatIsNoNumberIsNotThere) {
  const auto source =
      parsed(row(R"("real_time": 2, "cpu_time": 1, "time_unit": "ns", "ratio": NaN, "rate": -Infinity)"));
  EXPECT_EQ(source.configurations[0].runs[0].metrics.size(), 2u);
}

TEST(GoogleBenchmark, WhatWouldMakeAWrongNumberIsRefusedWithItsPlace) {
  EXPECT_EQ(message(row(R"("real_time": "2", "cpu_time": 1, "time_unit": "ns")")),
            "t: benchmarks[0].real_time: expected a number, got \"2\"; write it again: --benchmark_out=FILE "
            "--benchmark_out_format=json");
  EXPECT_THAT(message(row(R"("real_time": -2, "cpu_time": 1, "time_unit": "ns")")),
              HasSubstr("benchmarks[0].real_time: expected a number that is not below 0"));
  EXPECT_THAT(message(row(R"("real_time": 2, "cpu_time": 1, "time_unit": "min")")),
              HasSubstr("benchmarks[0].time_unit: 'min' is none of ns, us, ms, s"));
  EXPECT_THAT(message(row(R"("real_time": 2, "cpu_time": 1)")), HasSubstr("benchmarks[0]: has no time_unit"));
  EXPECT_THAT(message(row(R"("real_time": NaN, "cpu_time": 1, "time_unit": "ns")")),
              HasSubstr("benchmarks[0]: has no real_time"));
  EXPECT_THAT(message(row(R"("error_occurred": "yes")")), HasSubstr("expected true or false"));
  EXPECT_THAT(message(R"({"benchmarks": [{"name": "b"}]})"), HasSubstr("benchmarks[0]: has no run_type"));
  EXPECT_THAT(message(R"({"benchmarks": {}})"), HasSubstr("benchmarks: expected a list"));
  EXPECT_THAT(message(R"({"benchmarks": []})"), HasSubstr("has no results"));
}

TEST(GoogleBenchmark, TwoBenchmarksOfOneNameAreNotMixed) {
  const std::string one =
      R"({"run_name": "b", "run_type": "iteration", "real_time": 2, "cpu_time": 1, "time_unit": "ns"})";
  EXPECT_THAT(message(R"({"benchmarks": [)" + one + "," + one + "]}"),
              HasSubstr("benchmarks[1]: repetition 0 of b stands twice"));
}

}  // namespace
}  // namespace neph::compare
