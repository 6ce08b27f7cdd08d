#include "serve/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/fake_engine_test.hpp"

namespace neph::serve {
namespace {

using engine::Element;
using testing::ElementsAre;
using testing::HasSubstr;

class Signatures : public testing::Test {
 protected:
  Result<Signature> make(std::int64_t rows, Payload payload = Payload::tensor) {
    return make_signature(FakeSession(engine, rows), rows, payload);
  }
  std::string refusal(std::int64_t rows, Payload payload = Payload::tensor) {
    const auto made = make(rows, payload);
    return made ? "made" : std::string(to_string(made.error().code)) + ": " + made.error().message;
  }
  TestClock clock;
  FakeEngine engine{clock};
};

TEST_F(Signatures, LeaveTheRowsOpen) {
  engine.inputs = {{"x", Element::f16, {-1, 3, 5}}, {"ids", Element::i64, {-1}}};
  const auto made = make(4);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->execution_rows, 4);
  EXPECT_EQ(made->inputs[0].row_bytes, 30U);
  EXPECT_EQ(made->inputs[1].row_bytes, 8U);
  const auto about = made->inputs[0].metadata();
  EXPECT_EQ(about.datatype, "FP16");
  EXPECT_THAT(about.shape, ElementsAre(-1, 3, 5));
  EXPECT_THAT(made->inputs[1].metadata().shape, ElementsAre(-1));
  EXPECT_EQ(made->output("y"), &made->outputs[0]);
  EXPECT_EQ(made->output("z"), nullptr);
}

TEST_F(Signatures, RefuseWhatCannotBeToldApartByRows) {
  engine.inputs = {{"x", Element::f32, {8, 3}}};
  EXPECT_THAT(refusal(4),
              HasSubstr("unsupported: the model's input 'x' of shape [8, 3] does not begin with the batch"));
  engine.inputs = {{"x", Element::f32, {}}};
  EXPECT_THAT(refusal(1), HasSubstr("does not begin with the batch"));
  engine.inputs = {{"x", Element::f32, {-1, -1}}};
  EXPECT_EQ(refusal(4), "unsupported: the model's input 'x' of shape [4, ?] is open beyond its batch");
}

TEST_F(Signatures, OfModelsThatAreNotBatchedHaveTheirOwnShapes) {
  engine.inputs = {{"x", Element::f32, {3, 4, 5}}, {"n", Element::i64, {}}};
  engine.outputs = {{"y", Element::f32, {-1, 2}}};
  const FakeSession session(engine, 0);
  const auto made = make_unbatched_signature(session, Payload::tensor);
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->batched);
  EXPECT_EQ(made->execution_rows, 1);
  EXPECT_THAT(made->inputs[0].metadata().shape, ElementsAre(3, 4, 5));
  EXPECT_EQ(made->inputs[0].row_bytes, 240U);
  EXPECT_THAT(made->inputs[1].metadata().shape, ElementsAre());
  EXPECT_EQ(made->inputs[1].row_bytes, 8U);
  EXPECT_FALSE(made->has_open_inputs());
  EXPECT_THAT(made->outputs[0].metadata().shape, ElementsAre(-1, 2));
  EXPECT_TRUE(made->has_open_outputs());
}

TEST_F(Signatures, OfPicturePayloadsSayWhatClientsSend) {
  engine.inputs = {{"x", Element::f32, {-1, 3, 224, 224}}};
  const auto pixels = make(2, Payload::uint8);
  ASSERT_TRUE(pixels);
  EXPECT_THAT(pixels->inputs[0].metadata().shape, ElementsAre(-1, 224, 224, 3));
  EXPECT_EQ(pixels->inputs[0].metadata().datatype, "UINT8");
  EXPECT_EQ(pixels->inputs[0].row_bytes, 150'528U);
  const auto files = make(2, Payload::jpeg);
  ASSERT_TRUE(files);
  EXPECT_THAT(files->inputs[0].metadata().shape, ElementsAre(-1, 1));
  EXPECT_EQ(files->inputs[0].metadata().datatype, "BYTES");
  EXPECT_EQ(files->transform.crop_side, 224);
}

TEST_F(Signatures, OfPicturesThatAreNotSquareHaveHeightAndWidth) {
  for (const auto& shape : {std::vector<std::int64_t>{-1, 3, 32, 64}, {-1, 32, 64, 3}}) {
    engine.inputs = {{"x", Element::f32, shape}};
    const auto pixels = make(2, Payload::uint8);
    ASSERT_TRUE(pixels) << pixels.error().message;
    EXPECT_THAT(pixels->inputs[0].metadata().shape, ElementsAre(-1, 32, 64, 3));
    EXPECT_EQ(pixels->inputs[0].row_bytes, 6144U);
    EXPECT_TRUE(make(2, Payload::jpeg));
  }
}

TEST_F(Signatures, RefusePicturesForOtherModels) {
  EXPECT_THAT(refusal(2, Payload::jpeg),
              HasSubstr("unsupported: the model's input 'x' has rank 2; images need"));
}

}  // namespace
}  // namespace neph::serve
