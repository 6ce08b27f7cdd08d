// Drawn from the front to the back: a disc colours only what no earlier one has covered, so that each pixel
// is coloured once, and the picture is done when all are.
#include "image/dead_leaves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace neph::image {
namespace {

constexpr int colours = 3;

/// Noise whose power falls as f^-2: octaves of equal deviation. It repeats, so that it can be looked up at
/// any place.
class Texture {
 public:
  explicit Texture(Dice& dice) : values_(std::size_t{side} * side, 0.0F) {
    for (int cell = side / 2; cell >= 1; cell /= 2) add_octave(dice, cell);
    normalise();
  }

  float at(int x, int y) const {
    return values_[static_cast<std::size_t>((y & (side - 1)) * side + (x & (side - 1)))];
  }

 private:
  static constexpr int side = 256;

  /// Random values on a grid of `cell` pixels, with straight lines between them.
  void add_octave(Dice& dice, int cell) {
    const int knots = side / cell;
    std::vector<float> grid(static_cast<std::size_t>(knots) * static_cast<std::size_t>(knots));
    for (auto& knot : grid) knot = dice.bell();
    const auto knot = [&](int x, int y) {
      return grid[static_cast<std::size_t>((y % knots) * knots + x % knots)];
    };
    for (int y = 0; y < side; ++y) {
      const int ky = y / cell;
      const float fy = static_cast<float>(y % cell) / static_cast<float>(cell);
      for (int x = 0; x < side; ++x) {
        const int kx = x / cell;
        const float fx = static_cast<float>(x % cell) / static_cast<float>(cell);
        const float above = knot(kx, ky) + fx * (knot(kx + 1, ky) - knot(kx, ky));
        const float below = knot(kx, ky + 1) + fx * (knot(kx + 1, ky + 1) - knot(kx, ky + 1));
        values_[static_cast<std::size_t>(y * side + x)] += above + fy * (below - above);
      }
    }
  }

  void normalise() {
    float squares = 0;
    for (const float value : values_) squares += value * value;
    const float scale = std::sqrt(static_cast<float>(values_.size()) / squares);
    for (auto& value : values_) value *= scale;
  }

  std::vector<float> values_;
};

struct Disc {
  float x, y, radius;
  std::array<float, colours> colour;  ///< levels of 255 at the centre
  float slope_x, slope_y;             ///< shading, levels per pixel
  float texture;                      ///< deviation, levels
  int texture_x, texture_y;
};

class Canvas {
 public:
  Canvas(const Leaves& leaves, Dice& dice)
      : leaves_(leaves),
        dice_(dice),
        texture_(dice),
        pixels_(area() * colours),
        covered_(area(), 0),
        bare_(area()) {}

  std::vector<float> draw() {
    // The last pixels would take as many discs again: one large disc far behind covers what is left.
    const std::size_t few = area() / 500;
    while (bare_ > few) cover(throw_disc());
    Disc background = throw_disc();
    background.x = static_cast<float>(leaves_.width) / 2;
    background.y = static_cast<float>(leaves_.height) / 2;
    background.radius = static_cast<float>(leaves_.width + leaves_.height);
    background.slope_x = background.slope_y = 0;
    cover(background);
    return std::move(pixels_);
  }

 private:
  std::size_t area() const {
    return static_cast<std::size_t>(leaves_.width) * static_cast<std::size_t>(leaves_.height);
  }

  Disc throw_disc() {
    constexpr float smallest = 3;
    const float largest = static_cast<float>(std::min(leaves_.width, leaves_.height));
    const float ratio = smallest / largest;
    Disc disc{};
    disc.radius =
        smallest / std::sqrt(1 - dice_.unit() * (1 - ratio * ratio));  // density r^-3 by its inverse
    disc.x = dice_.between(-disc.radius, static_cast<float>(leaves_.width) + disc.radius);
    disc.y = dice_.between(-disc.radius, static_cast<float>(leaves_.height) + disc.radius);
    const float grey = dice_.between(20, 215);
    for (auto& level : disc.colour) level = std::clamp(grey + 14 * dice_.bell(), 0.0F, 255.0F);
    const float across = dice_.between(0, 50) / (2 * disc.radius);  // levels from rim to rim
    disc.slope_x = across * dice_.between(-1, 1);
    disc.slope_y = across * dice_.between(-1, 1);
    disc.texture = leaves_.texture * dice_.unit() * 2;
    disc.texture_x = static_cast<int>(dice_.next() & 0xff);
    disc.texture_y = static_cast<int>(dice_.next() & 0xff);
    return disc;
  }

  void cover(const Disc& disc) {
    const int top = std::max(0, static_cast<int>(std::ceil(disc.y - disc.radius)));
    const int bottom = std::min(leaves_.height - 1, static_cast<int>(std::floor(disc.y + disc.radius)));
    for (int y = top; y <= bottom; ++y) {
      const float dy = static_cast<float>(y) - disc.y;
      const float half = std::sqrt(std::max(0.0F, disc.radius * disc.radius - dy * dy));
      const int left = std::max(0, static_cast<int>(std::ceil(disc.x - half)));
      const int right = std::min(leaves_.width - 1, static_cast<int>(std::floor(disc.x + half)));
      for (int x = left; x <= right; ++x) colour(disc, x, y);
    }
  }

  void colour(const Disc& disc, int x, int y) {
    const auto at =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(leaves_.width) + static_cast<std::size_t>(x);
    if (covered_[at]) return;
    covered_[at] = 1;
    --bare_;
    const float light = disc.slope_x * (static_cast<float>(x) - disc.x) +
                        disc.slope_y * (static_cast<float>(y) - disc.y) +
                        disc.texture * texture_.at(x + disc.texture_x, y + disc.texture_y);
    for (std::size_t c = 0; c < colours; ++c) pixels_[at * colours + c] = disc.colour[c] + light;
  }

  const Leaves& leaves_;
  Dice& dice_;
  Texture texture_;
  std::vector<float> pixels_;
  std::vector<std::uint8_t> covered_;
  std::size_t bare_;
};

/// The lens: weights 1 12 1 in both directions, without which the discs' edges would be sharper than
/// any camera's.
std::vector<float> blur(const std::vector<float>& pixels, int width, int height) {
  const auto at = [&](int x, int y) {
    return (static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * static_cast<std::size_t>(width) +
            static_cast<std::size_t>(std::clamp(x, 0, width - 1))) *
           colours;
  };
  std::vector<float> across(pixels.size()), both(pixels.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (std::size_t c = 0; c < colours; ++c)
        across[at(x, y) + c] =
            (1 / 14.0F) * (pixels[at(x - 1, y) + c] + 12 * pixels[at(x, y) + c] + pixels[at(x + 1, y) + c]);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (std::size_t c = 0; c < colours; ++c)
        both[at(x, y) + c] =
            (1 / 14.0F) * (across[at(x, y - 1) + c] + 12 * across[at(x, y) + c] + across[at(x, y + 1) + c]);
  return both;
}

}  // namespace

std::uint64_t Dice::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

float Dice::bell() {
  constexpr float scale = 1.7320508F;  // the sum of four uniform numbers has a variance of 1/3
  return (unit() + unit() + unit() + unit() - 2) * scale;
}

std::vector<std::uint8_t> draw_leaves(const Leaves& leaves, Dice& dice) {
  const auto pixels = blur(Canvas(leaves, dice).draw(), leaves.width, leaves.height);
  std::vector<std::uint8_t> rgb(pixels.size());
  for (std::size_t at = 0; at < pixels.size(); at += colours) {
    const float grain = leaves.grain * dice.bell();
    for (std::size_t c = 0; c < colours; ++c)
      rgb[at + c] = static_cast<std::uint8_t>(std::clamp(pixels[at + c] + grain, 0.0F, 255.0F) + 0.5F);
  }
  return rgb;
}

}  // namespace neph::image
