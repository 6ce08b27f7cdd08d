#include "serve/admission.hpp"

#include <gmock/gmock.h>

#include "serve/admission_fixture_test.hpp"

namespace neph::serve {
namespace {

using testing::HasSubstr;

TEST_F(Admission, TakesATensorWhereItLies) {
  exchange.add_input("x", {3, 4});
  ASSERT_TRUE(take());
  EXPECT_EQ(job.rows, 3);
  EXPECT_EQ(job.bytes, 48U);
  EXPECT_EQ(job.inputs[0].data(), exchange.request.inputs[0].data.data());
  ASSERT_EQ(job.outputs.size(), 2U);
  EXPECT_EQ(job.outputs[1].port, 1U);
}

TEST_F(Admission, TakesInputsInAnyOrder) {
  signature.inputs.push_back({.name = "w", .type = DataType::u8, .shape = {-1}, .row_bytes = 1});
  std::vector<std::byte> w(2);
  send("w", DataType::u8, {2}, w);
  exchange.add_input("x", {2, 4});
  ASSERT_TRUE(take());
  EXPECT_EQ(job.inputs[1].data(), w.data());
  EXPECT_EQ(job.bytes, 34U);
}

TEST_F(Admission, RefusesInputsThatTheModelDoesNotTake) {
  EXPECT_EQ(refusal(), "invalid_argument: input 'x' is missing");
  exchange.add_input("y", {1, 4});
  EXPECT_EQ(refusal(), "invalid_argument: unknown input 'y'; known: x");
  exchange.request.inputs.clear();
  exchange.add_input("x", {1, 4});
  exchange.add_input("x", {1, 4});
  EXPECT_EQ(refusal(), "invalid_argument: input 'x' is there twice");
}

TEST_F(Admission, RefusesOtherTypesAndShapes) {
  const auto refusal_of = [&](DataType type, wire::Shape shape) {
    exchange.request.inputs.clear();
    send("x", type, shape, {});
    return refusal();
  };
  EXPECT_EQ(refusal_of(DataType::f64, {1, 4}), "invalid_argument: input 'x' is FP32, and FP64 was sent");
  for (const wire::Shape& shape : {wire::Shape{4}, wire::Shape{1, 5}, wire::Shape{1, 2, 2}, wire::Shape{}})
    EXPECT_THAT(refusal_of(DataType::f32, shape), HasSubstr("input 'x' has the shape [-1, 4], and ["));
  EXPECT_EQ(refusal_of(DataType::f32, {0, 4}), "invalid_argument: a request without rows");
}

TEST_F(Admission, TakesAsManyRowsAsAConfigurationSays) {
  exchange.add_input("x", {9, 4});
  EXPECT_EQ(refusal(), "taken");
  signature.request_rows = 8;
  const std::string too_many =
      "invalid_argument: 9 rows in one request; this model takes up to 8 (its max_batch_size)";
  EXPECT_EQ(refusal(), too_many);
  signature.batched = false;
  EXPECT_EQ(refusal(), too_many);
  signature.request_rows = 9;
  EXPECT_EQ(refusal(), "taken");
  EXPECT_EQ(job.rows, 1) << "an execution of its own";
  signature.inputs.push_back({.name = "w", .shape = {-1, 1}});
  exchange.add_input("w", {3, 1});
  EXPECT_EQ(refusal(), "invalid_argument: inputs of 9 and 3 rows in one request");
}

TEST_F(Admission, RefusesMoreRowsThanMemoryHoldsTheAnswersOf) {
  signature.outputs[0].row_bytes = std::size_t{1} << 45;
  exchange.add_input("x", {9, 4});
  EXPECT_THAT(refusal(), HasSubstr("invalid_argument: batch 9 needs at least 288 TiB of memory"));
}

TEST_F(Admission, RefusesInputsOfDifferentRows) {
  signature.inputs.push_back({.name = "w", .shape = {-1, 1}, .row_bytes = 4});
  exchange.add_input("x", {2, 4});
  exchange.add_input("w", {3, 1});
  EXPECT_EQ(refusal(), "invalid_argument: inputs of 2 and 3 rows in one request");
}

TEST_F(Admission, CompletesARawRequest) {
  const std::vector<std::byte> body(32);
  send("", DataType::f32, {}, body);
  exchange.request.raw = true;
  ASSERT_TRUE(take());
  EXPECT_EQ(job.rows, 2);
  const auto& tensor = exchange.request.inputs.front();
  EXPECT_EQ(tensor.name, "x");
  EXPECT_EQ(tensor.shape, (wire::Shape{2, 4}));
}

TEST_F(Admission, RefusesRawRequestsThatCannotBeCompleted) {
  exchange.request.raw = true;
  const std::vector<std::byte> body(33);
  send("", DataType::f32, {}, body);
  EXPECT_EQ(refusal(), "invalid_argument: 33 bytes are no whole rows of 'x', which have 16 each");
  exchange.request.inputs.clear();
  send("", DataType::f32, {}, {});
  EXPECT_EQ(refusal(), "invalid_argument: a request without rows");
  signature.inputs.push_back({.name = "w"});
  EXPECT_EQ(
      refusal(),
      "invalid_argument: a request of nothing but bytes needs a model with one input, and this one has 2");
}

TEST_F(Admission, TakesPicturesAsElementsWithOrWithoutASecondDimension) {
  make_jpeg();
  for (const auto& shape : {wire::Shape{2}, wire::Shape{2, 1}}) {
    exchange.request.inputs.clear();
    send_bytes(shape, {"one", "three"});
    ASSERT_TRUE(take());
    ASSERT_EQ(job.pictures.size(), 2U);
    EXPECT_EQ(job.pictures[1].size(), 5U);
    EXPECT_EQ(job.rows, 2);
    EXPECT_EQ(job.bytes, 4U + 3 + 4 + 5 + 2 * 3 * 2 * 2 * sizeof(float)) << "with what they become";
  }
  exchange.request.inputs.clear();
  send_bytes({1, 2}, {"one", "three"});
  EXPECT_THAT(refusal(), HasSubstr("input 'x' has the shape [-1, 1], and [1, 2] was sent"));
}

TEST_F(Admission, TakesARawBodyAsOnePictureFile) {
  make_jpeg();
  const auto file = wire::bytes_of("\xff\xd8\xff\xe0 and so on");
  send("", DataType::f32, {}, file);
  exchange.request.raw = true;
  ASSERT_TRUE(take());
  ASSERT_EQ(job.pictures.size(), 1U);
  EXPECT_EQ(job.pictures[0].data(), file.data());
  EXPECT_EQ(job.pictures[0].size(), file.size());
  EXPECT_EQ(job.rows, 1);
}

TEST_F(Admission, TakesPixelsRowByRow) {
  signature.payload = Payload::uint8;
  signature.transform.crop_side = 2;
  signature.inputs = {{.name = "x", .type = DataType::u8, .shape = {-1, 2, 2, 3}, .row_bytes = 12}};
  const std::vector<std::byte> pixels(36);
  send("x", DataType::u8, {3, 2, 2, 3}, pixels);
  ASSERT_TRUE(take());
  ASSERT_EQ(job.pictures.size(), 3U);
  EXPECT_EQ(job.pictures[2].data(), pixels.data() + 24);
}

TEST_F(Admission, OfAModelThatIsNotBatchedTakesItsOwnShapes) {
  signature.batched = false;
  signature.inputs = {{.name = "x", .shape = {2, 3}, .row_bytes = 24},
                      {.name = "n", .type = DataType::i64, .shape = {}, .row_bytes = 8}};
  const std::vector<std::byte> data(24);
  send("x", DataType::f32, {2, 3}, data);
  send("n", DataType::i64, {}, std::span(data).first(8));
  ASSERT_TRUE(take());
  EXPECT_EQ(job.rows, 1);
  exchange.request.inputs.clear();
  send("x", DataType::f32, {3, 2}, data);
  const auto status = take();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("input 'x' has the shape [2, 3], and [3, 2] was sent"));
}

TEST_F(Admission, KeepsTheShapesThatTheModelLeavesOpen) {
  signature.batched = false;
  signature.inputs = {{.name = "x", .shape = {-1, 3}, .open = true}};
  const std::vector<std::byte> data(60);
  send("x", DataType::f32, {5, 3}, data);
  ASSERT_TRUE(take());
  EXPECT_EQ(job.rows, 1);
  EXPECT_EQ(job.shapes.at(0), (wire::Shape{5, 3}));
  exchange.request.inputs.clear();
  send("x", DataType::f32, {0, 3}, {});
  ASSERT_TRUE(take()) << "nothing is a tensor too";
  exchange.request.inputs.clear();
  send("", DataType::bytes, {}, data);
  exchange.request.raw = true;
  ASSERT_TRUE(take());
  EXPECT_EQ(job.shapes.at(0), (wire::Shape{5, 3}));
}

TEST_F(Admission, TakesTextAsItLies) {
  signature.batched = false;
  signature.inputs = {{.name = "x", .type = DataType::bytes, .shape = {-1, 2}, .open = true}};
  send_bytes({1, 2}, {"", "two words"});
  ASSERT_TRUE(take());
  EXPECT_EQ(job.inputs[0].data(), exchange.request.inputs[0].data.data());
  EXPECT_EQ(job.shapes[0], (wire::Shape{1, 2}));
  exchange.request.inputs.clear();
  send_bytes({2}, {"a", "b"});
  EXPECT_EQ(refusal(), "invalid_argument: input 'x' has the shape [-1, 2], and [2] was sent");
  exchange.request.raw = true;
  EXPECT_EQ(refusal(),
            "invalid_argument: a request of nothing but bytes cannot hold the text of 'x'; send it with its "
            "shape");
}

TEST_F(Admission, GivesTheEngineItsOwnShapes) {
  signature.batched = false;
  signature.inputs = {
      {.name = "x", .shape = {-1}, .open = true, .engine_shape = std::vector<std::int64_t>{-1, 1}}};
  std::vector<std::byte> three(12);
  send("x", DataType::f32, {3}, three);
  ASSERT_TRUE(take());
  EXPECT_EQ(job.shapes[0], (wire::Shape{3, 1}));
}

TEST_F(Admission, DoesNotShowOutputsThatAreHidden) {
  signature.outputs[1].hidden = true;
  std::vector<std::byte> row(16);
  send("x", DataType::f32, {1, 4}, row);
  ASSERT_TRUE(take());
  EXPECT_EQ(job.outputs.size(), 1U);
  exchange.request.outputs = {{.name = "z"}};
  EXPECT_EQ(refusal(), "invalid_argument: unknown output 'z'; known: y");
}

TEST_F(Admission, RefusesARequestWithoutPictures) {
  make_jpeg();
  signature.batched = false;
  signature.inputs.front().open = true;
  send("x", DataType::bytes, {0, 1}, {});
  EXPECT_EQ(refusal(), "invalid_argument: a request without images");
}

TEST_F(Admission, OfOnePictureFillsNoBatchOfTwo) {
  make_jpeg();
  signature.batched = false;
  signature.inputs.front().shape = {2, 1};
  const std::vector<std::byte> file(10);
  send("", DataType::bytes, {}, file);
  exchange.request.raw = true;
  const auto status = take();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("is one image, and 'x' takes 2"));
}

TEST_F(Admission, TakesTheOutputsThatAreAskedFor) {
  exchange.add_input("x", {2, 4});
  exchange.request.outputs = {{.name = "z"}, {.name = "y", .classification = 2}};
  ASSERT_TRUE(take());
  ASSERT_EQ(job.outputs.size(), 2U);
  EXPECT_EQ(job.outputs[0].port, 1U);
  EXPECT_EQ(job.outputs[1].classification, 2);
}

TEST_F(Admission, RefusesOutputsThatThereAreNot) {
  exchange.add_input("x", {2, 4});
  const auto refusal_of = [&](std::vector<wire::RequestedOutput> outputs) {
    exchange.request.outputs = std::move(outputs);
    return refusal();
  };
  EXPECT_EQ(refusal_of({{.name = "scores"}}), "invalid_argument: unknown output 'scores'; known: y, z");
  EXPECT_EQ(refusal_of({{.name = "y"}, {.name = "y"}}), "invalid_argument: output 'y' is asked for twice");
  EXPECT_EQ(refusal_of({{.name = "z", .classification = 3}}),
            "invalid_argument: output 'z': classification of 3 INT64 values");
  EXPECT_THAT(refusal_of({{.name = "y", .classification = -1}}), HasSubstr("classification of -1"));
}

TEST_F(Admission, MapsPrioritiesToLevels) {
  exchange.add_input("x", {1, 4});
  const auto level = [&](std::optional<wire::Value> value) {
    exchange.request.parameters.clear();
    if (value) exchange.request.parameters.push_back({"priority", *value});
    EXPECT_TRUE(take());
    return job.level;
  };
  EXPECT_EQ(level({}), 15U);
  EXPECT_EQ(level(std::int64_t{0}), 15U);
  EXPECT_EQ(level(std::int64_t{1}), 0U);
  EXPECT_EQ(level(std::uint64_t{7}), 6U);
  EXPECT_EQ(level(std::int64_t{1'000'000}), 15U);
  EXPECT_EQ(level(std::int64_t{-5}), 15U);
  EXPECT_EQ(level(std::string("high")), 15U);
}

}  // namespace
}  // namespace neph::serve
