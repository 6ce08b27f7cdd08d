#include "image/resize.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace neph::image {
namespace {

float sum_of(const Taps& taps, int result) {
  const auto begin = taps.weight.begin() + result * taps.count;
  return std::accumulate(begin, begin + taps.count, 0.0F);
}

TEST(Taps, SumToOneAndStayInsideWhateverTheSizes) {
  std::mt19937 random(20261121);
  for (int round = 0; round < 500; ++round) {
    const int source = std::uniform_int_distribution(1, 3000)(random);
    const int target = std::uniform_int_distribution(1, 600)(random);
    const int reduced = 1 << std::uniform_int_distribution(0, 3)(random);
    Taps taps;
    triangle_taps(source, target, {0, target}, reduced, taps);
    ASSERT_EQ(taps.results(), target);
    for (int i = 0; i < target; ++i) {
      ASSERT_NEAR(sum_of(taps, i), 1, 1e-5) << source << " to " << target << " by " << reduced;
      ASSERT_GE(taps.first[static_cast<std::size_t>(i)], 0);
      ASSERT_LE(taps.first[static_cast<std::size_t>(i)] + taps.count, (source + reduced - 1) / reduced);
    }
  }
}

TEST(Taps, SameSizeIsTheIdentity) {
  Taps taps;
  triangle_taps(224, 224, {0, 224}, 1, taps);
  EXPECT_EQ(taps.count, 1);
  for (int i = 0; i < 224; ++i) {
    EXPECT_EQ(taps.first[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(taps.weight[static_cast<std::size_t>(i)], 1);
  }
}

TEST(Taps, HalvingWeighsOneThreeThreeOne) {  // the triangle of radius 2, sampled at half pixels
  Taps taps;
  triangle_taps(100, 50, {10, 11}, 1, taps);
  ASSERT_EQ(taps.count, 4);
  EXPECT_EQ(taps.first[0], 19);
  for (int k = 0; k < 4; ++k)
    EXPECT_FLOAT_EQ(taps.weight[static_cast<std::size_t>(k)], k == 0 || k == 3 ? 0.125F : 0.375F);
}

/// Straight from the definition, in double.
double expected(const std::vector<std::uint8_t>& picture, int width, int channels, const Taps& h,
                const Taps& v, int x, int y, int c) {
  double sum = 0;
  for (int j = 0; j < v.count; ++j)
    for (int i = 0; i < h.count; ++i) {
      const int column = h.first[static_cast<std::size_t>(x)] + i,
                row = v.first[static_cast<std::size_t>(y)] + j;
      sum += double{h.weight[static_cast<std::size_t>(x * h.count + i)]} *
             double{v.weight[static_cast<std::size_t>(y * v.count + j)]} *
             picture[static_cast<std::size_t>((row * width + column) * channels + c)];
    }
  return sum;
}

TEST(Resize, IsTheWeightedSumForAllShapes) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const int width = std::uniform_int_distribution(1, 90)(random),
              height = std::uniform_int_distribution(1, 90)(random);
    const int columns = std::uniform_int_distribution(1, 50)(random),
              rows = std::uniform_int_distribution(1, 50)(random);
    const int channels = round % 3 == 0 ? 1 : 3;
    std::vector<std::uint8_t> picture(static_cast<std::size_t>(width * height * channels) + Pixels::slack);
    for (auto& level : picture) level = static_cast<std::uint8_t>(random());
    Taps h, v;
    triangle_taps(width, columns, {0, columns}, 1, h);
    triangle_taps(height, rows, {0, rows}, 1, v);
    std::vector<float> out(static_cast<std::size_t>(columns * rows * 3), -1.0F);
    ResizeBuffers buffers;
    resize(
        {.data = picture.data(), .stride = static_cast<std::size_t>(width * channels), .channels = channels},
        h, v, Planes{}, out, buffers);
    for (int c = 0; c < 3; ++c)
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x)
          ASSERT_NEAR(out[static_cast<std::size_t>((c * rows + y) * columns + x)],
                      expected(picture, width, channels, h, v, x, y, channels == 1 ? 0 : c), 0.501)
              << width << " x " << height << " to " << columns << " x " << rows;
  }
}

}  // namespace
}  // namespace neph::image
