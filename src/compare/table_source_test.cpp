#include "compare/sources_test.hpp"

namespace neph::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Table, ARowIsAConfigurationWithMeans) {
  const auto source = golden("neph.csv");
  EXPECT_EQ(source.kind, "neph table");
  EXPECT_THAT(labels(source), ElementsAre("batch 1", "batch 8")) << "as in the JSON of the same experiment";
  const auto& first = source.configurations[0];
  EXPECT_EQ(first.factors, (Json{{"batch", 1.0}}));
  EXPECT_TRUE(first.runs.empty());
  const auto& mean = first.means.at("images_per_s");
  EXPECT_EQ(mean.value, 23.535749533852236);
  EXPECT_EQ(mean.low, 18.4704238590261);
  EXPECT_EQ(mean.high, 28.601075208678374);
  EXPECT_EQ(mean.n, 3);
  EXPECT_EQ(first.facts.at("answers"), "d04e8ec58608edba");
  EXPECT_THAT(first.doubts, ElementsAre("unsteady", "busy_machine", "wide_interval"));
}

TEST(Table, BehindAPercentileStandRunsAndNotSamples) {
  EXPECT_EQ(golden("neph.csv").configurations[0].means.at("latency_p50_ms").n, 3);
}

TEST(Table, APercentileWithoutAnIntervalIsNoMetric) {
  const auto source = golden("neph.csv");
  EXPECT_FALSE(source.configurations[0].means.contains("latency_p99_ms"));
  EXPECT_FALSE(source.configurations[1].means.contains("latency_p90_ms"));
}

const std::string heading =
    "cell,batch,mode,verdict,warnings,runs_ok,runs_failed,x_s,x_s_low,x_s_high,x_s_n,repro\n";

TEST(Table, WhatMeansNothingInAConfigurationIsNotInItsLabel) {
  const auto source =
      parsed(heading + "0,1,sync,valid,,3,0,2,1,3,3,r\n1,,async,valid,closed_loop,3,0,,,,,r\n");
  EXPECT_THAT(labels(source), ElementsAre("batch 1, mode sync", "mode async"));
  EXPECT_THAT(source.configurations[1].means, IsEmpty()) << "an empty cell is not known";
  EXPECT_THAT(source.configurations[1].doubts, IsEmpty()) << "a hint is no doubt";
}

TEST(Table, WorkThatWasNotDoneIsAFailure) {
  const auto source = parsed(heading + "0,1,a,doubtful,unsteady pictures_failed,3,0,2,1,3,3,r\n" +
                             "1,2,a,invalid,,0,3,,,,,r\n2,3,a,invalid,,0,0,,,,,r\n");
  EXPECT_THAT(source.configurations[0].failures, ElementsAre("images failed"));
  EXPECT_THAT(source.configurations[0].doubts, ElementsAre("unsteady"));
  EXPECT_THAT(source.configurations[1].failures, ElementsAre("no run ended well"));
  EXPECT_THAT(source.configurations[2].failures, IsEmpty()) << "it was not run";
}

TEST(Table, OneRunHasAMeanWithoutInterval) {
  const auto mean = parsed(heading + "0,1,a,valid,,1,0,2,,,1,r\n").configurations[0].means.at("x_s");
  EXPECT_EQ(mean.value, 2);
  EXPECT_FALSE(mean.low);
  EXPECT_EQ(mean.n, 1);
}

TEST(Table, WhatWouldMakeAWrongNumberIsRefusedWithItsPlace) {
  EXPECT_EQ(message(heading + "0,1,a,valid,,3,0,2,1,3,3,r\n1,2,a,valid,,3,0,many,1,3,3,r\n"),
            "t: row 2, x_s: expected a number, got 'many'; write it again: neph export --format csv");
  EXPECT_THAT(message(heading + "0,1,a,valid,,3,0,\"a\nb\",1,3,3,r\n"), HasSubstr("got 'a b'")) << "one line";
  EXPECT_THAT(message(heading + "0,1,a,valid,,3,0,inf,1,3,3,r\n"),
              HasSubstr("row 1, x_s: expected a number"));
  EXPECT_THAT(message(heading + "0,1,a,valid,,3,0,2,3,4,3,r\n"),
              HasSubstr("row 1, x_s: 2 is not within its interval, 3 to 4"));
  EXPECT_THAT(message(heading + "0,1,a,valid,,3,0,2,1,3,2.5,r\n"),
              HasSubstr("row 1, x_s_n: expected a whole"));
  EXPECT_THAT(message(heading + "0,1,a,valid,,3,0,2,1,3,3\n"), HasSubstr("line 2"));
  EXPECT_THAT(message(heading + "0,1,a,valid,,3,0,2,1,3,3,r\n1,1,a,valid,,3,0,2,1,3,3,r\n"),
              HasSubstr("two configurations are called 'batch 1, mode a'"));
}

}  // namespace
}  // namespace neph::compare
