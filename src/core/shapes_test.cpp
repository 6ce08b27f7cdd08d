#include "core/shapes.hpp"

#include <gmock/gmock.h>

namespace neph {
namespace {

using testing::HasSubstr;

TEST(Shapes, AreReadByTheNamesOfTheirInputs) {
  EXPECT_EQ(parse_shapes("input_ids:1x128+mask:1x64").value(),
            (InputShapes{{"input_ids", {1, 128}}, {"mask", {1, 64}}}));
  EXPECT_EQ(parse_shapes("serving/in.1:0:2x3").value(), (InputShapes{{"serving/in.1:0", {2, 3}}}));
  EXPECT_EQ(parse_shapes("1x3x224x224").value(), (InputShapes{{"", {1, 3, 224, 224}}}));
  EXPECT_EQ(parse_shapes(" a:16 + b:0x1 ").value(), (InputShapes{{"a", {16}}, {"b", {0, 1}}}));
  EXPECT_EQ(parse_shapes("sr:scalar").value(), (InputShapes{{"sr", {}}}));
}

TEST(Shapes, NonsenseIsSaidWithAnExample) {
  for (const auto* nonsense : {"", "+", "a", "a:", ":1x2", "a:1x", "a:x1", "a:1xx2", "a:-1x2", "a:1x+b:2",
                               "a:1x2+", "a:1x2,1x3", "a:1.5", "a:99999999999999999999", "a:1X2", "a:+1"}) {
    const auto shapes = parse_shapes(nonsense);
    ASSERT_FALSE(shapes) << nonsense;
    EXPECT_THAT(shapes.error().message, HasSubstr("NAME:1x128+OTHER:1x64")) << nonsense;
  }
  EXPECT_THAT(parse_shapes("a:1+2").error().message, HasSubstr("does not say of which input"));
  EXPECT_THAT(parse_shapes("a:1+a:2").error().message, HasSubstr("two shapes of input 'a'"));
}

TEST(Shapes, TheirTextReadsAsTheSame) {
  for (const auto* text : {"1x128", "a:1x2+b:3", "x:0:5x0", "sr:scalar", "scalar"})
    EXPECT_EQ(shapes_text(parse_shapes(text).value()), text);
}

TEST(Shapes, AShapeWithoutANameIsOfTheOnlyInput) {
  EXPECT_EQ(named_shapes({{"", {1, 2}}}, {"x"}).value(), (InputShapes{{"x", {1, 2}}}));
  EXPECT_EQ(named_shapes({{"", {1, 2}}}, {"x", "y"}).error().message,
            "the model has 2 inputs (x, y); write NAME:1x2");
  const auto unknown = named_shapes({{"input_id", {1}}}, {"input_ids", "mask"}).error();
  EXPECT_THAT(unknown.text(), HasSubstr("did you mean 'input_ids'"));
}

TEST(Shapes, MasksGoWithTheirTokens) {
  const InputShapes own{{"ids", {-1, -1}}, {"mask", {-1, -1}}, {"state", {2, -1}}, {"x", {1, 4}}};
  EXPECT_EQ(with_like_ones({{"ids", {1, 128}}}, own), (InputShapes{{"ids", {1, 128}}, {"mask", {1, 128}}}));
  EXPECT_EQ(with_like_ones({{"ids", {1, 8}}, {"mask", {1, 9}}}, own),
            (InputShapes{{"ids", {1, 8}}, {"mask", {1, 9}}}));
  EXPECT_EQ(with_like_ones({{"x", {1, 4}}}, {{"x", {1, 4}}, {"y", {1, 4}}}), (InputShapes{{"x", {1, 4}}}));
}

}  // namespace
}  // namespace neph
