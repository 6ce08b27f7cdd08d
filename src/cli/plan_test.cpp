#include "cli/plan.hpp"

#include <gmock/gmock.h>

namespace neph::cli {
namespace {

using testing::HasSubstr;

std::string fault(std::string_view toml) {
  const auto plan = read_plan(toml, "x.toml");
  EXPECT_FALSE(plan) << toml;
  return plan ? "" : plan.error().text();
}

TEST(Plan, ListsAreFactorsAndTheRestIsShared) {
  const auto plan = read_plan(
      "repeat = 3\nseed = 7\n[infer]\nmodel = \"resnet18\"\nfiles = \"off\"\nimages = \"/tmp\"\nbatch = [1, "
      "8]\n"
      "precision = [\"f32\"]\n",
      "x.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->experiment.repeat, 3);
  EXPECT_EQ(plan->experiment.seed, 7U);
  ASSERT_EQ(plan->experiment.factors.size(), 1U);
  EXPECT_EQ(plan->experiment.factors[0].name, "batch");
  EXPECT_EQ(plan->experiment.spec["precision"], "f32");
  EXPECT_EQ(plan->cells.size(), 2U);
}

TEST(Plan, KeepsTheCommandThatRepeatsIt) {
  const auto plan = read_plan(
      "repeat = 3\nseed = 7\n[infer]\nmodel = \"my net.onnx\"\nimages = \"/tmp\"\nbatch = [1, 8]\n"
      "warmup_max_s = 0.5\n",
      "x.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->experiment.command,
            "neph infer 'my net.onnx' --batch 1,8 --images /tmp --warmup-max-s 0.5 --repeat 3 --seed 7");
}

TEST(Plan, KeepsTheStoreInTheCommandWhereItIsNotTheUsual) {
  const auto plan = read_plan(
      "repeat = 3\nseed = 7\nstore = \"my runs.db\"\n[infer]\nmodel = \"r\"\nimages = \"/tmp\"\n", "x.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->experiment.command, "neph infer r --images /tmp --store 'my runs.db' --repeat 3 --seed 7");
}

TEST(Plan, KeepsThePlaceInTheCommandWhereItIsNotHere) {
  const auto plan = read_plan(
      "repeat = 3\nseed = 7\non = \"docker:neph:1\"\n[infer]\nmodel = \"r\"\nimages = \"/tmp\"\n", "x.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->experiment.command, "neph infer r --images /tmp --repeat 3 --seed 7 --on docker:neph:1");
}

TEST(Plan, RefusesWhatARunCanOnlyDoHere) {
  const std::string there = "on = \"docker:neph\"\n";
  const std::string answers = "[infer]\nmodel = \"r\"\nimages = \"/tmp\"\nanswers = \"a.txt\"\n";
  EXPECT_THAT(fault(there + answers), HasSubstr("--on docker:neph: --answers writes a file there"));
  EXPECT_TRUE(read_plan(answers, "x.toml"));
  const std::string server =
      "[infer]\nmodel = \"r\"\nimages = \"/tmp\"\narchitecture = \"local\"\nserver_in = \"docker\"\n";
  EXPECT_THAT(fault(there + server), HasSubstr("--on docker:neph: --server-in docker starts a container"));
  EXPECT_TRUE(read_plan(server, "x.toml"));
}

TEST(Plan, KeepsTheLatencyLimitOutOfCellsAndRuns) {
  const auto plan = read_plan(
      "repeat = 3\nseed = 7\nlatency_limit = \"100ms\"\n[infer]\nmodel = \"r\"\nimages = \"/tmp\"\n",
      "x.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->experiment.latency_limit_s, 0.1);
  EXPECT_EQ(plan->experiment.command, "neph infer r --images /tmp --repeat 3 --seed 7 --latency-limit 100ms");
  EXPECT_FALSE(plan->experiment.spec.contains("latency_limit"));
  EXPECT_FALSE(plan->cells[0].spec.contains("latency_limit"));
  EXPECT_THAT(fault("latency_limit = \"1s\"\n[load]\nurl = \"http://127.0.0.1:1\"\n"),
              HasSubstr("unknown key 'latency_limit'"));
}

TEST(Plan, IsTheSameFromAFileAndFromOptionsInAnyOrder) {
  const auto file = read_plan(
      "[infer]\nprecision = [\"f32\", \"bf16\"]\nmodel = \"r\"\nimages = \"/tmp\"\nbatch = [1, 8]\n",
      "x.toml");
  const auto options = make_plan(
      "infer", {{"batch", {1, 8}}, {"precision", {"f32", "bf16"}}, {"images", "/tmp"}, {"model", "r"}}, {});
  ASSERT_TRUE(file && options);
  EXPECT_EQ(to_json(file->experiment.factors), to_json(options->experiment.factors));
  EXPECT_EQ(file->experiment.spec, options->experiment.spec);
  EXPECT_EQ(file->experiment.factors[0].name, "batch") << "as the workload describes them";
}

TEST(Plan, KeepsPrecisionsByTheHousesNames) {
  const auto plan =
      make_plan("infer", {{"model", "r"}, {"images", "/tmp"}, {"precision", {"fp32", "int8", "fp16"}}}, {});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->experiment.factors[0].values, (std::vector<Json>{"f32", "i8", "f16"}));
  EXPECT_EQ(plan->cells[1].label, "precision i8");
  EXPECT_THAT(plan->experiment.command, HasSubstr("--precision f32,i8,f16"));
  EXPECT_FALSE(make_plan("infer", {{"model", "r"}, {"images", "/tmp"}, {"precision", {"fp32", "f32"}}}, {}))
      << "one precision, and no two cells";
  EXPECT_EQ(read_plan("[infer]\nmodel = \"r\"\nimages = \"/tmp\"\nprecision = \"fp16\"\n", "x.toml")
                ->experiment.spec["precision"],
            "f16");
}

TEST(Plan, RefusesATimeWithoutItsUnit) {
  EXPECT_THAT(fault("[load]\nurl = \"http://x\"\nmodel = \"m\"\np99 = 50\n"),
              HasSubstr("p99 50: a time needs its unit: 50ms, 50s"));
}

TEST(Plan, DrawsASeedThatIsKept) {
  const auto plan = make_plan("infer", {{"model", "resnet18"}, {"images", "/tmp"}}, {});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_NE(plan->experiment.seed, 0U);
}

TEST(Plan, NamesTheNearestKnownWord) {
  EXPECT_THAT(fault("[infer]\nmodel = \"r\"\nbacth = 8\n"), HasSubstr("unknown key 'bacth'"));
  EXPECT_THAT(fault("[infer]\nmodel = \"r\"\nbacth = 8\n"), HasSubstr("did you mean 'batch'?"));
  EXPECT_THAT(fault("repat = 3\n[infer]\nmodel = \"r\"\n"), HasSubstr("did you mean 'repeat'?"));
  EXPECT_THAT(fault("[infre]\nmodel = \"r\"\n"), HasSubstr("unknown table 'infre'; did you mean 'infer'?"));
  EXPECT_THAT(fault("[infer]\nmodel = \"r\"\nimages = \"/tmp\"\nprecision = [\"f32\", \"bf61\"]\n"),
              HasSubstr("did you mean 'bf16'?"));
}

/// What people who know the command line write into a file.
TEST(Plan, SaysHowItIsWrittenInAFile) {
  const std::string own = "[infer]\nmodel = \"r\"\nimages = \"/tmp\"\n";
  EXPECT_EQ(fault(own + "repeat = 2\n"), "x.toml: 'repeat' is not of [infer]: write repeat above [infer]");
  EXPECT_THAT(fault(own + "latency-limit = \"5ms\"\n"), HasSubstr("write latency_limit above [infer]"));
  EXPECT_THAT(fault("latency-limit = \"5ms\"\n" + own), HasSubstr("did you mean 'latency_limit'?"));
  EXPECT_EQ(fault("latency_limit = \"5\"\n" + own),
            "x.toml: latency_limit 5: a time needs its unit: 5ms, 5s");
  EXPECT_THAT(fault(own + "batch = \"1..8*2\"\n"), HasSubstr("; a list is written batch = [1, 2, 4, 8]"));
  EXPECT_THAT(fault("[infer]\nmodel = r\n"), HasSubstr("text stands in quotes"));
}

TEST(Plan, RefusesValuesThatMakeNoSense) {
  for (const auto* batch : {"0", "-1", "1000000000", "\"x\"", "[1, 0]", "1.5"})
    EXPECT_THAT(fault(fmt::format("[infer]\nmodel = \"r\"\nimages = \"/tmp\"\nbatch = {}\n", batch)),
                HasSubstr("batch"))
        << batch;
  EXPECT_THAT(fault("[infer]\nbatch = []\nmodel = \"r\"\n"), HasSubstr("batch"));
  EXPECT_THAT(fault("repeat = 0\n[infer]\nmodel = \"r\"\n"), HasSubstr("repeat: 0 is below 1"));
  EXPECT_THAT(fault("repeat = 1\n"), HasSubstr("no [infer] table"));
}

}  // namespace
}  // namespace neph::cli
