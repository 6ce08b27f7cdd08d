#include "workload/infer/infer.hpp"

#include <gmock/gmock.h>

namespace neph::workload::infer {
namespace {

using testing::HasSubstr;

TEST(Infer, RefusesWhatContradictsItself) {
  const auto fault = [](const Json& spec) {
    const auto status = check(spec);
    return status ? std::string() : status.error().message;
  };
  EXPECT_THAT(fault({{"images", "photos"}}), HasSubstr("no model"));
  EXPECT_TRUE(check({{"model", "m"}})) << "inputs are generated";
  EXPECT_THAT(fault({{"model", "m"}, {"images", ""}}), HasSubstr("no images given"));
  EXPECT_THAT(fault({{"model", "m"}, {"images", "photos"}, {"inputs", "x.npz"}}), HasSubstr("leave one out"));
  EXPECT_THAT(fault({{"model", "m"}, {"loaders", 2}}), HasSubstr("--loaders means nothing without --images"));
  EXPECT_THAT(fault({{"model", "m"}, {"shape", "x:1x"}}), HasSubstr("--shape: 'x:1x' is no shape"));
  const Json whole = {{"model", "m"}, {"images", "photos"}};
  const auto with = [&](const Json& more) {
    Json spec = whole;
    spec.update(more);
    return spec;
  };
  EXPECT_TRUE(check(whole));
  EXPECT_THAT(fault(with({{"depth", 4}})), HasSubstr("--mode sync; it goes with async"));
  EXPECT_TRUE(check(with({{"depth", 4}, {"mode", "async"}})));
  EXPECT_THAT(fault(with({{"files", "off"}, {"cache", "cold"}})), HasSubstr("no file is read"));
}

TEST(Infer, ItsCommandSaysWhatDiffersFromTheDefaultsAndNoMore) {
  EXPECT_EQ(command({{"model", "my net.onnx"}, {"images", "photos"}, {"batch", 8}, {"warmup_max_s", 2.5}}),
            "neph infer 'my net.onnx' --images photos --batch 8 --warmup-max-s 2.5");
  EXPECT_EQ(command({{"model", "resnet50"}, {"images", "photos"}, {"batch", 1}, {"mode", "sync"}}),
            "neph infer resnet50 --images photos");
}

TEST(Infer, TheTimeOfAWholeRunFollowsFromItsTrial) {
  const Json spec = {{"model", "m"}, {"images", "photos"}, {"count", 1000},
                     {"batch", 10},  {"warmup", 20},       {"answers", "x"}};
  const auto small = trial(spec);
  EXPECT_EQ(small["count"], 20);
  EXPECT_EQ(small["answers"], "") << "a trial must not overwrite the user's file";
  neph::Run done{.wall_s = 5};
  done.result.phases = {{"load_tensors", 0, 0.5}, {"warmup", 1, 2}, {"measure", 2, 4}};
  done.result.figures = {{"images_per_s", "", {.value = 100}}};
  done.result.facts = {{"distinct_pictures", "20"}, {"usable_pictures", "500"}};
  // The rest as it was, 500 tensors instead of 20, 20 batches of 0.1 s, 1000 pictures.
  EXPECT_DOUBLE_EQ(whole_run_s(spec, done), 1.5 + 12.5 + 2 + 10);
}

TEST(Infer, TensorsOfWhichNobodySaysHowManyTakeTwoSeconds) {
  neph::Run done{.wall_s = 5};
  done.result.phases = {{"warmup", 1, 1}, {"measure", 2, 3}};
  done.result.figures = {{"sequences_per_s", "", {.value = 100}}};
  EXPECT_DOUBLE_EQ(whole_run_s({{"model", "m"}}, done), 5 + 0.1 + 2 - 1);
}

TEST(Infer, TheTrialOfWhatMakesSenseMakesSense) {
  for (const Json& where :
       {Json{{"architecture", "in-process"}}, Json{{"architecture", "local"}},
        Json{{"architecture", "local"}, {"client", "independent"}},
        Json{{"architecture", "remote"}, {"client", "independent"}, {"server", "http://node2:8000"}}}) {
    Json spec = {{"model", "m"}, {"images", "photos"}};
    spec.update(where);
    ASSERT_TRUE(check(spec)) << where;
    const auto status = check(trial(spec));
    EXPECT_TRUE(status) << where << ": " << status.error().message;
  }
}

TEST(Infer, AClientThatOnlyAsksWarmsUpForASecond) {
  const Json spec = {{"model", "m"}, {"images", "photos"},      {"count", 1000},
                     {"batch", 10},  {"architecture", "local"}, {"client", "independent"}};
  neph::Run done{.wall_s = 5};
  done.result.phases = {{"warmup", 1, 1}, {"measure", 2, 4}};
  done.result.figures = {{"images_per_s", "", {.value = 100}}};
  EXPECT_DOUBLE_EQ(whole_run_s(spec, done), 5 + 1 - 2 + 10);
}

}  // namespace
}  // namespace neph::workload::infer
