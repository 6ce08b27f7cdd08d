#include "image/transform.hpp"

#include <gtest/gtest.h>

namespace neph::image {
namespace {

TEST(Transform, ImageNetsInputGivesImageNetsEvaluation) {
  EXPECT_EQ(transform_for_input(3, 224, 224).value(), Transform{});
  EXPECT_EQ(transform_for_input(3, 299, 299).value().resize_side, 342);
}

TEST(Transform, SmallInputsTakeTheWholePicture) {
  const auto cifar = transform_for_input(3, 32, 32).value();
  EXPECT_EQ(cifar.resize_side, 32);
  EXPECT_EQ(cifar.crop_side, 32);
  EXPECT_EQ(cifar.mean, (std::vector<double>{0, 0, 0}));
  const auto mnist = transform_for_input(1, 28, 28).value();
  EXPECT_EQ(mnist.values(), 28U * 28U);
  EXPECT_EQ(mnist.deviation, std::vector<double>{1});
}

TEST(Transform, OfInputsThatAreNotSquareHasBothSides) {
  const auto wide = transform_for_input(3, 32, 64, true).value();
  EXPECT_EQ(wide.crop_side, 32);
  EXPECT_EQ(wide.width(), 64);
  EXPECT_EQ(wide.values(), 3U * 32 * 64);
}

TEST(Transform, RefusesInputsThatPicturesDoNotFit) {
  EXPECT_EQ(transform_for_input(4, 224, 224).error().code, ErrorCode::unsupported);
  EXPECT_FALSE(transform_for_input(3, 0, 0));
  EXPECT_FALSE(transform_for_input(3, -5, -5));
  EXPECT_FALSE(transform_for_input(3, 1'000'000'000, 1'000'000'000));
}

TEST(Transform, ValidatesItsFields) {
  EXPECT_TRUE(validate(Transform{}));
  EXPECT_FALSE(validate(Transform{.resize_side = 100, .crop_side = 224}));
  EXPECT_FALSE(validate(Transform{.channels = 2}));
  EXPECT_FALSE(validate(Transform{.mean = {0.5}}));
  EXPECT_FALSE(validate(Transform{.deviation = {1, 0, 1}}));
}

}  // namespace
}  // namespace neph::image
