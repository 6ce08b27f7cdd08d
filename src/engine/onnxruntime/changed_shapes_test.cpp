// Shapes that the file fixes otherwise, by a copy of its bytes; and what the file says of shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/models_for_tests.hpp"
#include "engine/onnxruntime/onnx_file.hpp"

namespace neph::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<float> answers_of(const std::string& name, const Options& options, std::vector<float> input,
                              std::size_t size) {
  const auto session = compile(name, options);
  if (session == nullptr) return {};
  const auto request = request_of(*session);
  std::vector<float> output(size), same(size);
  bind(*request, input, output);
  if (session->outputs().size() > 1) {
    EXPECT_TRUE(request->bind_output(1, same.data(), 4 * size));
  }
  const auto status = request->infer();
  EXPECT_TRUE(status) << status.error().message;
  return output;
}

/// conv1 and conv3 are conv, but that they fix the batch.
TEST(ChangedShapes, AFixedBatchAnswersAsAnOpenOneDoes) {
  const auto input = numbers("conv.onnx.in");
  const auto expected = numbers("conv.onnx.out");
  for (const char* name : {"conv1.onnx", "conv3.onnx", "conv1_in_all.onnx", "conv1_beside.onnx"}) {
    const auto answers = answers_of(name, {.batch = 2}, input, expected.size());
    ASSERT_EQ(answers.size(), expected.size()) << name;
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(answers[i], expected[i], 1e-5) << name;
  }
}

TEST(ChangedShapes, AreThoseOfTheSessionOnly) {
  const auto model = load("conv1_in_all.onnx");
  const auto many = model->compile({.batch = 8, .streams = 2});
  ASSERT_TRUE(many) << many.error().message;
  EXPECT_THAT((*many)->inputs()[0].shape, ElementsAre(8, 3, 8, 8));
  EXPECT_THAT((*many)->outputs()[0].shape, ElementsAre(8, 5));
  EXPECT_THAT((*many)->outputs()[1].shape, ElementsAre(8, 5)) << "of a branch";
  EXPECT_THAT(model->inputs()[0].shape, ElementsAre(1, 3, 8, 8));
  const auto as_it_is = model->compile({.batch = 1});
  ASSERT_TRUE(as_it_is);
  EXPECT_THAT((*as_it_is)->outputs()[1].shape, ElementsAre(1, 5));
}

TEST(ChangedShapes, MayBeWholeOnes) {
  const auto session = compile("conv1.onnx", {.shapes = {{"picture", {2, 3, 16, 4}}}});
  EXPECT_THAT(session->inputs()[0].shape, ElementsAre(2, 3, 16, 4));
  EXPECT_THAT(session->outputs()[0].shape, ElementsAre(2, 5));
  const auto named = compile("open_side.onnx", {.shapes = {{"picture", {2, 3, 16, 4}}}});
  EXPECT_THAT(named->inputs()[0].shape, ElementsAre(2, 3, 16, 4));
  const auto unnamed = compile("paddle.onnx", {.shapes = {{"picture", {2, 3, 16, 4}}}});
  EXPECT_THAT(unnamed->outputs()[0].shape, ElementsAre(2, 5)) << "Paddle calls every open dimension '?'";
}

TEST(ChangedShapes, ThatTheLayersDoNotTakeAreRefusedInOneLine) {
  const auto refused = [](const char* name, const Options& options) {
    const auto session = load(name)->compile(options);
    EXPECT_FALSE(session) << name;
    return session ? Error{} : session.error();
  };
  const auto flat = refused("flat1.onnx", {.batch = 8});
  EXPECT_THAT(flat.message, HasSubstr("flat1.onnx: the model's layers do not take batch 8: "));
  EXPECT_THAT(flat.message, HasSubstr("flatten")) << "the node";
  EXPECT_EQ(flat.message.find('\n'), std::string::npos);
  const auto row = refused("one_row.onnx", {.batch = 8});
  EXPECT_EQ(row.code, ErrorCode::unsupported);
  EXPECT_THAT(row.message,
              HasSubstr("output 'y' has the shape [1, 96], whose first dimension is not the batch"));
  const auto sides = refused("conv1.onnx", {.shapes = {{"picture", {1, 4, 8, 8}}}});
  EXPECT_THAT(sides.message, HasSubstr("do not take these shapes: "));
  const auto two = refused("open_sum.onnx", {.batch = 0, .shapes = {{"ids", {1, 3}}, {"mask", {1, 4}}}});
  EXPECT_THAT(two.message, HasSubstr("inputs 'ids' and 'mask' share the dimension 'T'"));
}

TEST(ChangedShapes, AnInputOfAnyRankTakesEach) {
  EXPECT_TRUE(load("any_rank.onnx")->inputs()[0].open_rank);
  EXPECT_FALSE(load("conv.onnx")->inputs()[0].open_rank);
  const auto session = compile("any_rank.onnx", {.batch = 0});
  const auto request = request_of(*session);
  std::vector<float> input{-1, 2, -3, 4};
  for (const auto& shape : {std::vector<std::int64_t>{4}, {2, 2}, {1, 2, 1}}) {
    ASSERT_TRUE(request->bind_open_input(0, input.data(), shape));
    ASSERT_TRUE(request->infer());
    EXPECT_EQ(request->open_output(0).value().shape, shape);
  }
  EXPECT_THAT(compile("any_rank.onnx", {.shapes = {{"x", {2, 2}}}})->outputs()[0].shape, ElementsAre(2, 2));
}

TEST(OnnxFile, ThatIsNoneIsRefused) {
  using onnxruntime_plugin::with_input_shapes;
  EXPECT_EQ(with_input_shapes(std::string_view("These are words"), {}).error().code, ErrorCode::corrupt);
  const auto whole = read_file(model_path("conv1_in_all.onnx")).value();
  EXPECT_TRUE(with_input_shapes(std::string_view(whole), {{"picture", {2, 3, 8, 8}}}));
  for (std::size_t size = 1; size < whole.size(); size += 7)
    std::ignore = with_input_shapes(std::string_view(whole).substr(0, size), {{"picture", {2, 3, 8, 8}}});
  EXPECT_THAT(onnxruntime_plugin::inputs_of_any_rank(model_path("noise.onnx")), IsEmpty());
  EXPECT_THAT(onnxruntime_plugin::inputs_of_any_rank(model_path("empty.onnx")), IsEmpty());
}

/// ONNX Runtime reads them where they lie, as long as the session lives.
TEST(ChangedShapes, KeepWeightsThatLieBeside) {
  const auto answers = answers_of("added_beside.onnx", {.batch = 2}, std::vector<float>(8192), 8192);
  ASSERT_EQ(answers.size(), 8192U);
  EXPECT_EQ(answers[4095], 4095);
  EXPECT_EQ(answers[8191], 4095);
}

TEST(OwnedWeights, StayWhenTheirFileChanges) {
  expect_own_weights("added_beside.onnx", "added.data");
  expect_own_weights("added_beside.onnx", "added.data", {.batch = 2});
}

/// What a model names outside its folder is not read for it: its weights are answers.
TEST(OwnedWeights, AreOfTheModelsFolder) {
  for (const auto* name : {"added_escapes.onnx", "added_absolute.onnx"})
    for (const auto weights : {Weights::mapped, Weights::owned}) {
      const auto model = tested_engine().load(model_path(name), weights);
      EXPECT_FALSE(model && (*model)->compile({.batch = 2})) << name;
    }
}

TEST(ModelFiles, AreAllThatAModelConsistsOf) {
  const auto files = [](const char* name) {
    std::vector<std::string> names;
    for (const auto& file : model_files(model_path(name))) names.push_back(file.filename());
    return names;
  };
  EXPECT_THAT(files("added_beside.onnx"), ElementsAre("added_beside.onnx", "added.data"));
  EXPECT_THAT(files("conv1_beside.onnx"), ElementsAre("conv1_beside.onnx", "conv1_beside.data"));
  EXPECT_THAT(files("conv.onnx"), ElementsAre("conv.onnx"));
  EXPECT_THAT(files("added.xml"), ElementsAre("added.xml", "added.bin"));
  EXPECT_THAT(files("noise.onnx"), ElementsAre("noise.onnx"));
  EXPECT_THAT(files("no_such.onnx"), ElementsAre("no_such.onnx"));
}

}  // namespace
}  // namespace neph::engine
