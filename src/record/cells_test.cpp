#include "record/cells.hpp"

#include <gmock/gmock.h>

namespace neph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Experiment two_by_three() {
  return {.workload = "infer",
          .spec = {{"model", "m.onnx"}, {"batch", 1}},
          .factors = {{"precision", {"f32", "bf16"}}, {"batch", {1, 2, 4}}, {"files", {true}}},
          .repeat = 4,
          .seed = 7};
}

TEST(Fields, AreFactorsWhereTheyHaveSeveralValues) {
  Experiment experiment;
  set_fields(experiment, {{"bacth", 3}, {"batch", {1, 8}}, {"count", {500}}, {"model", "m"}},
             {"model", "count", "batch"});
  EXPECT_EQ(dump_json(experiment.spec), R"({"model":"m","count":500,"bacth":3})");
  ASSERT_EQ(experiment.factors.size(), 1U);
  EXPECT_EQ(experiment.factors[0].name, "batch");
}

TEST(GpusUsed, AreThoseOfTheDeviceInTheCellOrTheExperiment) {
  const Experiment cuda{.spec = {{"device", "cuda:1"}, {"gpus", 2}}};
  EXPECT_EQ(gpus_used(cuda, {}), 2);
  EXPECT_EQ(gpus_used(cuda, {.spec = {{"device", "CPU"}}}), 0);
  EXPECT_EQ(gpus_used({}, {.spec = {{"device", "GPU.0"}}}), 1);
  EXPECT_EQ(gpus_used({}, {.spec = {{"device", 7}}}), 0);
}

TEST(Design, FirstFactorIsTheSlowest) {
  const auto cells = *expand(two_by_three());
  std::vector<std::string> labels;
  for (const auto& cell : cells) labels.push_back(cell.label);
  EXPECT_THAT(labels,
              ElementsAre("precision f32, batch 1", "precision f32, batch 2", "precision f32, batch 4",
                          "precision bf16, batch 1", "precision bf16, batch 2", "precision bf16, batch 4"));
  EXPECT_EQ(cells[4].index, 4);
  EXPECT_EQ(dump_json(cells[4].factors), R"({"precision":"bf16","batch":2})");
  EXPECT_EQ(dump_json(cells[4].spec), R"({"model":"m.onnx","batch":2,"precision":"bf16","files":true})");
}

std::vector<std::string> labels_of(const Experiment& experiment) {
  std::vector<std::string> labels;
  const auto cells = *expand(experiment);
  for (const auto& cell : cells) labels.push_back(cell.label);
  return labels;
}

TEST(Design, WhatMeansNothingMakesNoCells) {
  Experiment experiment{
      .spec = {{"server", "http://a"}},
      .factors = {{"where", {"here", "there"}}, {"protocol", {"http", "grpc"}}, {"batch", {1, 8}}},
      .idle = {{"where", "here", {"protocol", "server"}}}};
  EXPECT_THAT(labels_of(experiment),
              ElementsAre("where here, batch 1", "where here, batch 8", "where there, protocol http, batch 1",
                          "where there, protocol http, batch 8", "where there, protocol grpc, batch 1",
                          "where there, protocol grpc, batch 8"));
  const auto cells = *expand(experiment);
  EXPECT_EQ(cells[2].index, 2) << "numbers without gaps";
  EXPECT_EQ(dump_json(cells[0].spec), R"({"where":"here","batch":1})");
  EXPECT_EQ(dump_json(cells[2].spec), R"({"server":"http://a","where":"there","protocol":"http","batch":1})");

  experiment.factors = {
      {"protocol", {"http", "grpc"}}};  // not varied: whether it contradicts is not decided here
  experiment.spec = {{"where", "here"}};
  EXPECT_THAT(labels_of(experiment), ElementsAre("protocol http", "protocol grpc"));
}

TEST(Design, WhatMeansNothingDecidesNothing) {
  const Experiment experiment{
      .factors = {{"where", {"here", "there"}}, {"payload", {"jpeg", "tensor"}}, {"files", {"on", "off"}}},
      .idle = {{"where", "here", {"payload"}}, {"payload", "jpeg", {"files"}}}};
  EXPECT_THAT(labels_of(experiment),
              ElementsAre("where here, files on", "where here, files off", "where there, payload jpeg",
                          "where there, payload tensor, files on", "where there, payload tensor, files off"));
}

TEST(Design, NothingVariedIsOneCell) {
  const auto cells = *expand({.spec = {{"batch", 8}}});
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].label, "all");
  EXPECT_EQ(dump_json(cells[0].factors), "{}");
  EXPECT_EQ(dump_json(cells[0].spec), R"({"batch":8})");
}

std::string refusal(const Experiment& experiment) {
  const auto cells = expand(experiment);
  if (cells) return "accepted";
  EXPECT_EQ(cells.error().code, ErrorCode::invalid_argument);
  return cells.error().message;
}

TEST(Design, RefusesWhatMakesNoSense) {
  EXPECT_EQ(refusal({.factors = {{"batch", {}}}}), "factor batch: no value; give at least one");
  EXPECT_EQ(refusal({.factors = {{"batch", {1, 2, 1}}}}), "factor batch: 1 is given twice");
  EXPECT_EQ(refusal({.factors = {{"files", {true, true}}}}), "factor files: on is given twice");
  EXPECT_EQ(refusal({.factors = {{"batch", {1}}, {"batch", {2}}}}), "factor batch is given twice");
  EXPECT_EQ(refusal({.repeat = 0}), "repeat: 0 is below 1");
  EXPECT_EQ(refusal({.spec = Json::array()}), "spec: expected an object");
  EXPECT_THAT(refusal({.repeat = max_runs + 1}), HasSubstr("more than 1000000 runs"));
}

TEST(Design, RefusesTooManyCellsWithoutMakingThem) {
  Experiment experiment;
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}) {
    experiment.factors.push_back({name, {}});
    for (int i = 0; i < 1000; ++i) experiment.factors.back().values.push_back(i);
  }
  EXPECT_EQ(refusal(experiment), "more than 10000 configurations (1000 a × 1000 b): vary less at a time");
}

TEST(Design, RefusesCellsThatAreTooLargeTogether) {
  Experiment experiment{.spec = {{"model", std::string(60'000, 'm')}}, .factors = {{"batch", {}}}};
  for (int i = 0; i < 1000; ++i) experiment.factors[0].values.push_back(i);
  EXPECT_EQ(refusal(experiment), "accepted");
  for (int i = 1000; i < 10'000; ++i) experiment.factors[0].values.push_back(i);
  EXPECT_EQ(refusal(experiment), "10000 configurations of 60021 bytes each are more than 64 MiB");
}

TEST(Design, RefusesAHugeFactorAtOnce) {
  Experiment experiment{.factors = {{"batch", {}}}};
  for (int i = 0; i < 1'000'000; ++i) experiment.factors[0].values.push_back(i);
  EXPECT_EQ(refusal(experiment), "more than 10000 configurations (1000000 batch): vary less at a time");
}

}  // namespace
}  // namespace neph
