// The decoder for the common JPEG against libjpeg, and what it must leave to it.
#include "image/baseline_jpeg.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "image/dead_leaves.hpp"
#include "image/inverse_dct.hpp"
#include "image/jpeg_reader.hpp"
#include "image/jpeg_writer.hpp"
#include "image/testing.hpp"
#include "os/file.hpp"

namespace neph::image {
namespace {

TEST(InverseDct, IsTheDefinition) {  // T.81 A.3.3
  std::mt19937 random(3);
  float scale[64];
  for (std::size_t i = 0; i < 64; ++i) scale[i] = static_cast<float>(aan_scale(i / 8) * aan_scale(i % 8) / 8);
  for (int round = 0; round < 50; ++round) {
    std::int16_t block[64], turned[64];
    for (int i = 0; i < 64; ++i) {
      block[i] = static_cast<std::int16_t>(static_cast<int>(random() % 201) - 100);
      turned[i % 8 * 8 + i / 8] = block[i];
    }
    float levels[64];
    inverse_dct(turned, scale, 128, levels, 8);
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        double sum = 0;
        for (int v = 0; v < 8; ++v)
          for (int u = 0; u < 8; ++u)
            sum += (u ? 1 : M_SQRT1_2) * (v ? 1 : M_SQRT1_2) / 4 * block[8 * v + u] *
                   std::cos((2 * x + 1) * u * M_PI / 16) * std::cos((2 * y + 1) * v * M_PI / 16);
        ASSERT_NEAR(levels[8 * y + x], sum + 128, 0.501);
      }
  }
}

TEST(HuffmanTable, RefusesWhatIsNoCode) {
  HuffmanTable table;
  std::array<std::uint8_t, 16> counts{};
  const std::array<std::uint8_t, 4> symbols{1, 2, 3, 4};
  counts[0] = 3;  // three codes of one bit
  EXPECT_FALSE(table.build(counts, std::span(symbols).first(3), true));
  counts[0] = 1;
  EXPECT_TRUE(table.build(counts, std::span(symbols).first(1), true));
  const std::array<std::uint8_t, 1> too_large{12};
  EXPECT_FALSE(table.build(counts, too_large, false));
}

TEST(HuffmanTable, PairsAndStepsAreSinglesInARow) {
  // Codes of 1 to 12 bits, with and without values, and an end of block.
  std::array<std::uint8_t, 16> counts{};
  for (std::size_t i = 0; i < 12; ++i) counts[i] = 1;
  const std::array<std::uint8_t, 12> symbols{0x01, 0x00, 0x02, 0x11, 0x03, 0xF0,
                                             0x21, 0x05, 0x31, 0x0A, 0x12, 0xF3};
  HuffmanTable table;
  ASSERT_TRUE(table.build(counts, symbols, true));
  for (std::uint64_t ahead = 0; ahead < 1 << HuffmanTable::look; ++ahead) {
    const auto single = [&](int used) {
      const std::uint64_t mask = (std::uint64_t{1} << HuffmanTable::longest) - 1;
      return table.single(ahead << (HuffmanTable::longest - HuffmanTable::look) << used & mask);
    };
    const Pair& pair = table.pair(ahead);
    if (pair.bits == 0) continue;
    const Coefficient first = single(0);
    ASSERT_EQ(pair.first, first.value);
    ASSERT_EQ(pair.first_advance, first.advance);
    if (pair.bits == first.bits) continue;
    const Coefficient second = single(first.bits);
    ASSERT_EQ(pair.bits, first.bits + second.bits);
    ASSERT_EQ(pair.last, second.advance == end_of_block);
    ASSERT_EQ(pair.second, pair.last ? first.value : second.value);

    const Steps& steps = table.steps(ahead);
    int bits = 0, advance = 0;
    bool last = false;
    while (bits < steps.bits) {
      const Coefficient next = single(bits);
      bits += next.bits;
      last = next.advance == end_of_block;
      advance += last ? 0 : next.advance;
    }
    ASSERT_EQ(bits, steps.bits);
    ASSERT_EQ(advance, steps.advance);
    ASSERT_EQ(last, steps.last);
  }
}

std::vector<std::uint8_t> leaves(int width, int height) {
  Dice dice(4);
  return draw_leaves({.width = width, .height = height}, dice);
}

/// Largest and mean difference between the two decoders' results, resized.
std::pair<double, double> differences(const std::string& file, int width, int height, Stretch columns,
                                      Stretch rows) {
  const auto bytes = std::as_bytes(std::span(file));
  Taps horizontal, vertical;
  triangle_taps(width, width * 2 / 3, columns, 1, horizontal);
  triangle_taps(height, height * 2 / 3, rows, 1, vertical);
  const JpegPart part{
      .width = width, .height = height, .columns = horizontal.source(), .rows = vertical.source()};
  const auto values = static_cast<std::size_t>(3 * columns.length() * rows.length());
  std::vector<float> ours(values), theirs(values);
  BaselineJpeg baseline;
  const auto picture = baseline.read(bytes, part);
  EXPECT_TRUE(picture);
  if (!picture) return {};
  ResizeBuffers buffers;
  resize(*picture, horizontal, vertical, Planes{}, ours, buffers);
  JpegReader reader;
  resize(reader.read(bytes, part).value(), horizontal, vertical, Planes{}, theirs, buffers);
  double most = 0, sum = 0;
  for (std::size_t i = 0; i < values; ++i) {
    most = std::max(most, std::abs(double{ours[i]} - double{theirs[i]}));
    sum += std::abs(double{ours[i]} - double{theirs[i]});
  }
  return {most, sum / static_cast<double>(values)};
}

TEST(BaselineJpeg, AgreesWithLibjpegForEverySamplingAndPart) {
  for (const auto& [width, height] : {std::pair{90, 75}, {91, 76}, {128, 64}, {17, 33}}) {
    const auto rgb = leaves(width, height);
    const int columns = width * 2 / 3, rows = height * 2 / 3;
    for (const JpegSettings& settings :
         {JpegSettings{.quality = 98}, JpegSettings{.quality = 60},
          JpegSettings{.quality = 90, .full_colour = false}, JpegSettings{.quality = 90, .grey = true}}) {
      const auto file = write_jpeg(rgb, width, height, settings).value();
      for (const auto& [x, y] : {std::pair{Stretch{0, columns}, Stretch{0, rows}},
                                 {Stretch{columns / 3, columns - 2}, Stretch{rows / 2, rows / 2 + 3}}}) {
        const auto [most, mean] = differences(file, width, height, x, y);
        EXPECT_LE(most, 3) << width << " x " << height << ", quality " << settings.quality;
        EXPECT_LE(mean, 0.3) << width << " x " << height << ", quality " << settings.quality;
      }
    }
  }
}

class LeftToLibjpeg : public testing::Test {
 protected:
  bool reads(const std::string& file, const JpegPart& changed = {}) {
    JpegPart part = changed;
    part.width = changed.width ? changed.width : 64;
    part.height = 48;
    part.columns = {0, 64};
    part.rows = {0, 48};
    return baseline_.read(std::as_bytes(std::span(file)), part).has_value();
  }

  std::string file_ = write_jpeg(leaves(64, 48), 64, 48, {.quality = 90}).value();
  BaselineJpeg baseline_;
};

TEST_F(LeftToLibjpeg, IsWhatIsNotWholeAndBaseline) {
  ASSERT_TRUE(reads(file_));
  EXPECT_FALSE(reads(file_, {.width = 65}));
  for (const std::size_t size : {std::size_t{0}, std::size_t{30}, std::size_t{400}, file_.size() / 2})
    EXPECT_FALSE(reads(file_.substr(0, size))) << size;
  auto progressive = file_;
  progressive[file_.find("\xFF\xC0") + 1] = '\xC2';
  EXPECT_FALSE(reads(progressive));
  auto restarts = file_;
  restarts.insert(file_.find("\xFF\xDA"), std::string("\xFF\xDD\x00\x04\x00\x02", 6));
  EXPECT_FALSE(reads(restarts));
  auto unnamed_table = file_;
  unnamed_table[file_.find("\xFF\xDA") + 6] = '\x33';
  EXPECT_FALSE(reads(unnamed_table));
  EXPECT_TRUE(reads(file_));  // nothing is left over from the others
}

TEST_F(LeftToLibjpeg, DamagedDataNeverDoesHarm) {
  std::mt19937 random(11);
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    auto damaged = file_;
    for (int i = 0; i < 3; ++i) damaged[20 + random() % (damaged.size() - 20)] = static_cast<char>(random());
    read += reads(damaged);
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace neph::image
