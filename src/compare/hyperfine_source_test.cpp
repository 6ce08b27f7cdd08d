#include "compare/sources_test.hpp"

namespace neph::compare {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Hyperfine, ATimingIsARun) {
  const auto source = golden("hyperfine_1.15.json");
  EXPECT_EQ(source.kind, "hyperfine");
  EXPECT_THAT(labels(source), ElementsAre("sleep 0.01", "sleep 0.02"));
  const auto& first = source.configurations[0];
  EXPECT_THAT(values(first, "time_s"), ElementsAre(0.010887709, 0.014950536, 0.011993278000000001));
  EXPECT_THAT(blocks(first), ElementsAre(0, 1, 2));
  EXPECT_EQ(first.factors, (Json{{"command", "sleep 0.01"}, {"d", "0.01"}}));
  EXPECT_TRUE(first.doubts.empty());
  EXPECT_FALSE(first.means.contains("time_s")) << "the runs say it";
  EXPECT_TRUE(source.identity.empty());
}

TEST(Hyperfine, OfCpuTimeItKeepsTheMeans) {
  const auto source = golden("hyperfine_1.15.json");
  const auto& means = source.configurations[1].means;
  EXPECT_EQ(means.at("user_s").value, 0.0008336666666666666);
  EXPECT_EQ(means.at("user_s").n, 3);
  EXPECT_FALSE(means.at("user_s").low);
  EXPECT_THAT(means.at("cpu_s").value, DoubleNear(0.001138, 1e-12));
}

TEST(Hyperfine, NewerVersionsTellEachRunsMemory) {
  const auto source = golden("hyperfine_1.20.json");
  EXPECT_THAT(labels(source), ElementsAre("short", "long"));
  EXPECT_THAT(values(source.configurations[0], "peak_memory_bytes"),
              ElementsAre(3219456, 3219456, 3219456, 3219456));
}

TEST(Hyperfine, ExitCodesOtherThanZeroAreFailures) {
  EXPECT_THAT(golden("hyperfine_failed.json").configurations[0].failures,
              ElementsAre("3 of 3 runs failed (exit code 1)"));
  const auto killed =
      parsed(R"({"results": [{"command": "c", "times": [1, 2, 3], "exit_codes": [0, null, 139]}]})");
  EXPECT_THAT(killed.configurations[0].failures, ElementsAre("2 of 3 runs failed (a signal, exit code 139)"));
}

TEST(Hyperfine, WithoutTimesThereIsAMeanOfNobodyKnowsHowMany) {
  const auto source = parsed(R"({"results": [{"command": "c", "mean": 1.5, "stddev": 0.5}]})");
  EXPECT_TRUE(source.configurations[0].runs.empty());
  const auto& mean = source.configurations[0].means.at("time_s");
  EXPECT_EQ(mean.value, 1.5);
  EXPECT_EQ(mean.n, 0);
  EXPECT_FALSE(mean.low);
}

TEST(Hyperfine, WhatWouldMakeAWrongNumberIsRefusedWithItsPlace) {
  const auto one = [](const std::string& keys) {
    return message(R"({"results": [{"command": "c", )" + keys + "}]}");
  };
  EXPECT_EQ(
      one(R"("times": [1, "2"])"),
      "t: results[0].times[1]: expected a number, got \"2\"; write it again: hyperfine --export-json FILE");
  EXPECT_THAT(one(R"("times": [1, null])"), HasSubstr("results[0].times[1]: expected a number, got null"));
  EXPECT_THAT(one(R"("times": [-1])"), HasSubstr("times[0]: expected a number that is not below 0, got -1"));
  EXPECT_THAT(one(R"("times": [NaN])"), HasSubstr("times[0]: expected a number, got null"));
  EXPECT_THAT(one(R"("times": 1)"), HasSubstr("results[0].times: expected a list, got 1"));
  EXPECT_THAT(one(R"("times": [1e999])"), HasSubstr("not valid JSON"));
  EXPECT_THAT(one(R"("times": [1, 2], "memory_usage_byte": [7])"),
              HasSubstr("memory_usage_byte: has 1 values for 2 times"));
  EXPECT_THAT(one(R"("user": 1)"), HasSubstr("results[0]: has no mean"));
  EXPECT_THAT(message(R"({"results": [{"times": [1]}]})"), HasSubstr("results[0]: has no command"));
  EXPECT_THAT(message(R"({"results": []})"), HasSubstr("t: has no results"));
  EXPECT_THAT(message(R"({"results": [{"command": "c", "times": [1]}, {"command": "c", "times": [2]}]})"),
              HasSubstr("two configurations are called 'c'"));
}

}  // namespace
}  // namespace neph::compare
