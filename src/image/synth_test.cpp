#include "image/synth.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include <gtest/gtest.h>

#include "image/decoder.hpp"
#include "image/testing.hpp"
#include "os/file.hpp"

namespace neph::image {
namespace {

TEST(Synth, SameSeedSameBytesWhateverTheThreadsAndTheCount) {
  const TestFolder a, b, c;
  ASSERT_TRUE(synth(a.path(), {.count = 4, .seed = 9, .threads = 0}));
  ASSERT_TRUE(synth(b.path(), {.count = 6, .seed = 9, .threads = 3}));
  ASSERT_TRUE(synth(c.path(), {.count = 4, .seed = 10, .threads = 1}));
  for (const std::string name : {"synth-000000.jpg", "synth-000003.jpg"}) {
    EXPECT_EQ(read_file(a / name).value(), read_file(b / name).value());
    EXPECT_NE(read_file(a / name).value(), read_file(c / name).value());
  }
  EXPECT_EQ(synth(a.path(), {.count = 0}).error().code, ErrorCode::invalid_argument);
}

using Line = std::vector<std::complex<double>>;

/// Cooley and Tukey, for powers of two.
void transform(Line& line) {
  const std::size_t n = line.size();
  if (n == 1) return;
  Line even(n / 2), odd(n / 2);
  for (std::size_t i = 0; i < n / 2; ++i) even[i] = line[2 * i], odd[i] = line[2 * i + 1];
  transform(even);
  transform(odd);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const auto turned = std::polar(1.0, -2 * M_PI * static_cast<double>(k) / static_cast<double>(n)) * odd[k];
    line[k] = even[k] + turned;
    line[k + n / 2] = even[k] - turned;
  }
}

constexpr std::size_t side = 128;

/// Sums of power over rows of luma, windowed; a row's spectrum falls as f^-(slope - 1) where the plane's does
/// as f^-slope.
std::vector<double> row_power(const PictureSet& set) {
  const Transform luma{.resize_side = 256, .crop_side = 256, .channels = 1, .mean = {0}, .deviation = {1}};
  const SteadyClock clock;
  Decoder decoder(luma, clock);
  std::vector<float> tensor(luma.values());
  std::vector<double> power(side, 0);
  for (const auto& picture : set.usable) {
    const auto file = read_file(picture.path).value();
    EXPECT_TRUE(decoder.decode(std::as_bytes(std::span(file)), tensor));
    for (std::size_t y = 0; y < 256; y += 8) {
      Line line(side);
      double mean = 0;
      for (std::size_t x = 0; x < side; ++x) mean += double{tensor[y * 256 + x + 64]} / side;
      for (std::size_t x = 0; x < side; ++x) {
        const double window = 1 - std::cos(2 * M_PI * static_cast<double>(x) / side);
        line[x] = (double{tensor[y * 256 + x + 64]} - mean) * window;
      }
      transform(line);
      for (std::size_t k = 0; k < side; ++k) power[k] += std::norm(line[k]);
    }
  }
  return power;
}

/// By least squares over frequencies 3 to 40 of 128, in octaves of equal weight.
double slope(const PictureSet& set) {
  const auto power = row_power(set);
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 3; k <= 40; ++k) {
    const double x = std::log(static_cast<double>(k)), y = std::log(power[k]),
                 weight = 1 / static_cast<double>(k);
    n += weight, sx += weight * x, sy += weight * y, sxx += weight * x * x, sxy += weight * x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

TEST(Synth, PicturesAreLikePhotographs) {
  if (!std::filesystem::exists(shared_images())) GTEST_SKIP() << "no photographs in " << shared_images();
  const TestFolder folder;
  ASSERT_TRUE(synth(folder.path(), {.count = 60, .seed = 1}));
  const auto made = scan(folder.path()).value();
  auto real = scan(shared_images()).value();
  ASSERT_EQ(made.usable.size(), 60U);

  const auto bytes = [](const PictureSet& set) {
    return static_cast<double>(set.bytes()) / static_cast<double>(set.usable.size());
  };
  EXPECT_NEAR(bytes(made) / bytes(real), 1, 0.35);
  const auto pixels = [](const PictureSet& set) {
    return std::accumulate(
               set.usable.begin(), set.usable.end(), 0.0,
               [](double sum, const Picture& p) { return sum + static_cast<double>(p.width * p.height); }) /
           static_cast<double>(set.usable.size());
  };
  EXPECT_NEAR(pixels(made) / pixels(real), 1, 0.35);

  real.usable.resize(60);
  EXPECT_NEAR(slope(made), slope(real), 0.4);
  EXPECT_LT(slope(made), -1);
}

}  // namespace
}  // namespace neph::image
