#include "serve/declared.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/signature.hpp"

namespace neph::serve {
namespace {

using testing::ElementsAre;
using wire::DataType;

class Declarations : public testing::Test {
 protected:
  std::string refusal() {
    const auto status = declare(signature, declared);
    return status ? "declared" : status.error().text();
  }
  Signature signature{.inputs = {{.name = "x", .shape = {1, 3, 4}}},
                      .outputs = {{.name = "y", .shape = {-1, 5}}, {.name = "z", .shape = {2}}},
                      .batched = false};
  Declared declared{.file = "config.pbtxt"};
};

TEST_F(Declarations, GiveClientsTheirShapesAndHideOtherOutputs) {
  declared.inputs = {{.name = "x", .dims = {3, 4}, .reshape = std::vector<std::int64_t>{1, 3, 4}}};
  declared.outputs = {{.name = "y", .dims = {-1, 5}, .labels = {"cat", "dog"}}};
  ASSERT_EQ(refusal(), "declared");
  EXPECT_THAT(signature.inputs[0].metadata().shape, ElementsAre(3, 4));
  EXPECT_THAT(*signature.inputs[0].engine_shape, ElementsAre(1, 3, 4));
  EXPECT_NE(signature.output("y"), nullptr);
  EXPECT_EQ(signature.output("z"), nullptr);
  EXPECT_THAT(signature.outputs[0].labels, ElementsAre("cat", "dog"));
}

TEST_F(Declarations, LeaveOutTheBatch) {
  declared.max_batch_size = 8;
  declared.outputs = {{.name = "y", .dims = {5}}};
  EXPECT_EQ(refusal(),
            "config.pbtxt: max_batch_size is 8, and the model's input 'x' of shape [1, 3, 4] does not begin "
            "with an open dimension; set max_batch_size to 0");
  signature.inputs[0].shape = {-1, 3, 4};
  ASSERT_EQ(refusal(), "declared");
  EXPECT_THAT(signature.outputs[0].shape, ElementsAre(-1, 5));
  EXPECT_EQ(signature.request_rows, 8);
  signature.inputs[0].shape = {1, 3, 4};
  declared.inputs = {{.name = "x", .dims = {3, 4}}};
  EXPECT_EQ(refusal(),
            "config.pbtxt: input 'x' has the shape [?, 3, 4] with max_batch_size above 0, and the model's is "
            "[1, 3, 4]");
}

TEST_F(Declarations, OfScalarsAreOnes) {
  signature.inputs.push_back({.name = "sr", .type = DataType::i64});
  declared.inputs = {{.name = "sr", .type = DataType::i64, .dims = {1}}};
  ASSERT_EQ(refusal(), "declared");
  EXPECT_THAT(signature.inputs[1].metadata().shape, ElementsAre(1));
  EXPECT_EQ(signature.inputs[1].engine_shape, std::vector<std::int64_t>());
  signature.inputs[1].shape.clear();
  declared.inputs[0].dims = {2};
  EXPECT_EQ(refusal(), "config.pbtxt: input 'sr' has the shape [2], and the model's is []");
}

TEST_F(Declarations, OfInputsThatTheModelFillsItselfMayBeOptional) {
  declared.inputs = {{.name = "scale", .dims = {1}, .optional = true}};
  EXPECT_EQ(refusal(), "declared");
}

TEST_F(Declarations, ThatContradictTheModelAreRefusedWithBoth) {
  declared.inputs = {{.name = "x", .type = DataType::i64, .dims = {1, 3, 4}}};
  EXPECT_EQ(refusal(), "config.pbtxt: input 'x' is INT64, and the model's is FP32");
  declared.inputs = {{.name = "x", .dims = {1, 3, 5}}};
  EXPECT_EQ(refusal(), "config.pbtxt: input 'x' has the shape [1, 3, 5], and the model's is [1, 3, 4]");
  declared.inputs = {{.name = "x", .dims = {3, 5}, .reshape = std::vector<std::int64_t>{1, 3, 4}}};
  EXPECT_EQ(refusal(), "config.pbtxt: input 'x' of dims [3, 5] cannot be reshaped to [1, 3, 4]");
  declared.inputs = {{.name = "w", .dims = {1}}};
  EXPECT_EQ(refusal(), "unknown input 'w' in config.pbtxt; known: x");
}

TEST_F(Declarations, FixWhatTheModelLeavesOpen) {
  using engine::Element;
  const std::vector<engine::Port> ports{{"a", Element::f32, {-1, 3, -1}}, {"b", Element::f32, {-1, 7}}};
  const auto fixed = narrowed(ports, {{.name = "a", .dims = {3, 64}}, {.name = "b", .dims = {8}}}, true);
  EXPECT_THAT(fixed[0].shape, ElementsAre(-1, 3, 64));
  EXPECT_THAT(fixed[1].shape, ElementsAre(-1, 7)) << "a contradiction is said where it can be";
}

TEST_F(Declarations, AddShapesThatAreAskedFor) {
  using engine::Element;
  const std::vector<engine::Port> ports{
      {"ids", Element::i64, {-1, -1}}, {"mask", Element::i64, {-1, -1}}, {"x", Element::f32, {-1, 3, -1}}};
  const auto dims = [&](const std::string& shapes, Declared from = {}) {
    EXPECT_TRUE(add_shapes(shapes, ports, from));
    std::map<std::string, std::vector<std::int64_t>> all;
    for (const auto& each : from.inputs) all[each.name] = each.dims;
    return all;
  };
  using All = std::map<std::string, std::vector<std::int64_t>>;
  EXPECT_EQ(dims(""), All{});
  EXPECT_EQ(dims("ids:1x128"), (All{{"ids", {1, 128}}, {"mask", {1, 128}}}));
  EXPECT_EQ(dims("ids:128+x:3x8"), (All{{"ids", {-1, 128}}, {"mask", {-1, 128}}, {"x", {-1, 3, 8}}}));
  const Declared triton{.file = "config.pbtxt",
                        .max_batch_size = 8,
                        .inputs = {{.name = "ids", .type = DataType::i64, .dims = {-1}}}};
  EXPECT_EQ(dims("ids:128", triton), (All{{"ids", {128}}, {"mask", {128}}})) << "without the batch";
  const auto refused = [&](const std::string& shapes, Declared from = {}) {
    const auto status = add_shapes(shapes, ports, from);
    return status ? "added" : status.error().text();
  };
  EXPECT_EQ(refused("x:1x4x8"), "--shape: [1, 4, 8] is not a shape of input 'x', which is [?, 3, ?]");
  EXPECT_EQ(refused("x:8"), "--shape: [8] is not a shape of input 'x', which is [?, 3, ?]");
  EXPECT_EQ(refused("y:8"), "--shape: unknown input 'y' in the model; known: ids, mask, x");
  EXPECT_EQ(refused("1x8"), "--shape: the model has 3 inputs (ids, mask, x); write NAME:1x8");
  EXPECT_EQ(
      refused("ids:1x128", triton),
      "--shape: [1, 128] fixes the batch of input 'ids', which config.pbtxt leaves open; leave the first "
      "size out");
}

TEST_F(Declarations, PutOpenSizesWhereTheyBelong) {
  EXPECT_EQ(reshaped({7, 3, 9}, {-1, 3, -1}, {1, -1, 3, 1, -1}), (wire::Shape{1, 7, 3, 1, 9}));
  EXPECT_EQ(reshaped({4, 1}, {-1, 1}, {-1}), (wire::Shape{4}));
  EXPECT_EQ(reshaped({4}, {-1}, {-1, 1}), (wire::Shape{4, 1}));
}

}  // namespace
}  // namespace neph::serve
