// Part of a JPEG against the whole of it, for every way in which colour is sampled.
#include "image/jpeg_reader.hpp"

#include <cstring>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "core/clock.hpp"
#include "image/dead_leaves.hpp"
#include "image/jpeg_error.hpp"
#include "image/jpeg_writer.hpp"

namespace neph::image {
namespace {

using testing::HasSubstr;

struct Kind {
  const char* name;
  int across, down;  ///< luma columns and rows per colour column and row
  bool grey = false;
  bool progressive = false;
  int restart_rows = 0;
};

std::vector<std::uint8_t> leaves(int width, int height) {
  Dice dice(4);
  return draw_leaves({.width = width, .height = height}, dice);
}

/// What JpegSettings does not offer, by libjpeg directly.
std::string encoded(const Kind& kind, int width, int height) {
  const auto rgb = leaves(width, height);
  jpeg_compress_struct jpeg{};
  JpegTrap trap{};
  trap.set();
  jpeg.err = &trap.manager;
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  if (kind.grey) jpeg_set_colorspace(&jpeg, JCS_GRAYSCALE);
  jpeg.comp_info[0].h_samp_factor = kind.across;
  jpeg.comp_info[0].v_samp_factor = kind.down;
  jpeg.restart_in_rows = kind.restart_rows;
  if (kind.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    const auto at = static_cast<std::size_t>(jpeg.next_scanline) * static_cast<std::size_t>(width) * 3;
    auto* row = const_cast<JSAMPROW>(rgb.data() + at);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return file;
}

/// The part's pixels, row by row without what else was decoded beside them.
std::vector<std::uint8_t> pixels_of(const std::string& file, const JpegPart& part) {
  JpegReader reader;
  const auto got = reader.read(std::as_bytes(std::span(file)), part);
  EXPECT_TRUE(got) << got.error().message;
  if (!got) return {};
  std::vector<std::uint8_t> result;
  for (int y = part.rows.begin; y < part.rows.end; ++y) {
    const auto* row = got->data + static_cast<std::size_t>(y - got->y) * got->stride;
    result.insert(result.end(), row + (part.columns.begin - got->x) * got->channels,
                  row + (part.columns.end - got->x) * got->channels);
  }
  return result;
}

/// The same cut out of the whole picture's pixels.
std::vector<std::uint8_t> cut(const std::vector<std::uint8_t>& whole, int width, int channels,
                              const JpegPart& part) {
  std::vector<std::uint8_t> result;
  for (int y = part.rows.begin; y < part.rows.end; ++y)
    result.insert(result.end(), whole.begin() + (y * width + part.columns.begin) * channels,
                  whole.begin() + (y * width + part.columns.end) * channels);
  return result;
}

Stretch random_stretch(int length, std::mt19937& random) {
  const int begin = static_cast<int>(random() % static_cast<unsigned>(length));
  return {begin, begin + 1 + static_cast<int>(random() % static_cast<unsigned>(length - begin))};
}

class PartOfJpeg : public testing::TestWithParam<Kind> {};

TEST_P(PartOfJpeg, HasThePixelsOfTheWhole) {
  std::mt19937 random(20261125);
  const int channels = GetParam().grey ? 1 : 3;
  for (const auto& [width, height] : {std::pair{90, 75}, {91, 76}, {128, 64}, {17, 33}, {230, 211}}) {
    const auto file = encoded(GetParam(), width, height);
    for (const int reduced : {1, 2, 4, 8}) {
      const int columns = (width + reduced - 1) / reduced, rows = (height + reduced - 1) / reduced;
      JpegPart part{
          .width = width, .height = height, .reduced = reduced, .columns = {0, columns}, .rows = {0, rows}};
      const auto whole = pixels_of(file, part);
      for (int round = 0; round < 60; ++round) {
        part.columns = random_stretch(columns, random);
        part.rows = random_stretch(rows, random);
        ASSERT_EQ(pixels_of(file, part), cut(whole, columns, channels, part))
            << width << " x " << height << " by " << reduced << ", columns " << part.columns.begin << " to "
            << part.columns.end << ", rows " << part.rows.begin << " to " << part.rows.end;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, PartOfJpeg,
                         testing::Values(Kind{"c444", 1, 1}, Kind{"c422", 2, 1}, Kind{"c440", 1, 2},
                                         Kind{"c420", 2, 2}, Kind{"c411", 4, 1}, Kind{"c410", 4, 2},
                                         Kind{"c441", 1, 4}, Kind{"c2x4", 2, 4}, Kind{"c3x1", 3, 1},
                                         Kind{"c3x2", 3, 2}, Kind{"grey", 1, 1, true},
                                         Kind{"progressive420", 2, 2, false, true},
                                         Kind{"progressive444", 1, 1, false, true},
                                         Kind{"restarts", 2, 2, false, false, 1}),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(JpegReader, DamagedDataNeverDoesHarm) {
  const auto file = write_jpeg(leaves(64, 48), 64, 48, {.quality = 90, .full_colour = false}).value();
  std::mt19937 random(11);
  JpegReader reader;
  int read = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    auto damaged = file;
    for (int i = 0; i < 3; ++i) damaged[20 + random() % (damaged.size() - 20)] = static_cast<char>(random());
    const JpegPart part{
        .width = 64, .height = 48, .columns = random_stretch(64, random), .rows = random_stretch(48, random)};
    (reader.read(std::as_bytes(std::span(damaged)), part) ? read : refused) += 1;
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
  const JpegPart whole{.width = 64, .height = 48, .columns = {0, 64}, .rows = {0, 48}};
  EXPECT_TRUE(reader.read(std::as_bytes(std::span(file)), whole)) << "nothing is left over from the others";
}

TEST(JpegReader, RefusesAFileThatEndsBeforeThePart) {
  const auto file = write_jpeg(leaves(64, 48), 64, 48, {.quality = 90}).value();
  JpegReader reader;
  for (const JpegPart& part : {JpegPart{.width = 64, .height = 48, .columns = {0, 64}, .rows = {0, 48}},
                               JpegPart{.width = 64, .height = 48, .columns = {20, 40}, .rows = {40, 48}}}) {
    const auto got = reader.read(std::as_bytes(std::span(file)).first(file.size() / 2), part);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::corrupt);
    EXPECT_THAT(got.error().message, HasSubstr("the file ends before its image"));
  }
}

TEST(JpegReader, RefusesAFrameOfAnotherSize) {
  const auto file = write_jpeg(leaves(64, 48), 64, 48, {.quality = 90}).value();
  JpegReader reader;
  const auto got = reader.read(std::as_bytes(std::span(file)),
                               {.width = 65, .height = 48, .columns = {0, 64}, .rows = {0, 48}});
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr("two frame headers that differ"));
}

}  // namespace
}  // namespace neph::image
