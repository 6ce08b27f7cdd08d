#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "serve/decoders.hpp"

namespace neph::serve {
namespace {

std::vector<std::byte> bytes_of(const std::vector<std::uint8_t>& pixels) {
  const auto bytes = std::as_bytes(std::span(pixels));
  return {bytes.begin(), bytes.end()};
}

/// A 24-bit BMP of those pixels, whose sides are multiples of 4: what a decoder gives back as it is.
std::vector<std::byte> picture_file(const std::vector<std::uint8_t>& pixels, std::uint32_t width,
                                    std::size_t channels) {
  const auto height = static_cast<std::uint32_t>(pixels.size() / channels / width);
  std::vector<std::byte> file;
  const auto add = [&](std::uint32_t value, int bytes) {
    for (; bytes > 0; --bytes, value >>= 8) file.push_back(static_cast<std::byte>(value));
  };
  add('B' | 'M' << 8, 2);
  add(54 + 3 * width * height, 4);
  add(0, 4);
  add(54, 4);
  add(40, 4);
  add(width, 4);
  add(-height, 4);  // the top row first
  add(1, 2);
  add(24, 2);
  for (int i = 0; i < 6; ++i) add(0, 4);
  for (std::size_t at = 0; at < pixels.size(); at += channels)
    for (const std::size_t blue_first : {2, 1, 0}) add(pixels[at + (channels == 3 ? blue_first : 0)], 1);
  return file;
}

class Pixels : public testing::TestWithParam<std::tuple<std::int64_t, bool, std::int64_t>> {};

/// The same picture through data's decoder: a file of just the network's size is neither resized nor cropped.
TEST_P(Pixels, BecomeWhatTheDecoderMakesOfThem) {
  const auto [channels, channels_last, width] = GetParam();
  constexpr std::int64_t height = 64;
  auto transform = *image::transform_for_input(channels, height, width, channels_last);
  transform.resize_side = height;
  constexpr unsigned seed = 5;
  std::mt19937 random(seed);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width * height * channels));
  for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(random());

  std::vector<float> decoded(transform.values()), normalised(transform.values());
  const SteadyClock clock;
  const auto status =
      image::Decoder(transform, clock)
          .decode(picture_file(pixels, static_cast<std::uint32_t>(width), static_cast<std::size_t>(channels)),
                  decoded);
  ASSERT_TRUE(status) << status.error().message;
  normalise_pixels(bytes_of(pixels), transform, normalised);
  for (std::size_t i = 0; i < decoded.size(); ++i)
    ASSERT_NEAR(normalised[i], decoded[i], 1e-6) << "value " << i << ", seed " << seed;
}
INSTANTIATE_TEST_SUITE_P(Channels, Pixels,
                         testing::Combine(testing::Values(1, 3), testing::Bool(),
                                          testing::Values(64, 32, 96)));

TEST(PixelsByHand, AreTakenApartIntoPlanes) {
  const image::Transform transform{
      .crop_side = 2, .channels = 3, .mean = {0, 0.5, 1}, .deviation = {1, 0.5, 0.25}};
  const std::vector<std::uint8_t> pixels{0, 0, 0, 255, 255, 255, 51, 51, 51, 102, 102, 102};
  std::vector<float> tensor(12);
  normalise_pixels(bytes_of(pixels), transform, tensor);
  const std::vector<float> wanted{0, 1, 0.2F, 0.4F, -1, 1, -0.6F, -0.2F, -4, 0, -3.2F, -2.4F};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(tensor[i], wanted[i], 1e-6) << i;
  auto interleaved = transform;
  interleaved.channels_last = true;
  normalise_pixels(bytes_of(pixels), interleaved, tensor);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(tensor[i % 4 * 3 + i / 4], wanted[i], 1e-6) << "channels last, " << i;
}

}  // namespace
}  // namespace neph::serve
