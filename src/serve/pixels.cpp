#include "serve/pixels.hpp"

#include <array>

namespace neph::serve {

void normalise_pixels(std::span<const std::byte> pixels, const image::Transform& transform,
                      std::span<float> tensor) {
  const auto channels = static_cast<std::size_t>(transform.channels);
  const auto plane = static_cast<std::size_t>(transform.crop_side * transform.width());
  for (std::size_t c = 0; c < channels; ++c) {
    const double scale = 1 / (255 * transform.deviation[c]);
    const double shift = transform.mean[c] / transform.deviation[c];
    std::array<float, 256> level;  // a table is exact, whatever the compiler makes of the division
    for (std::size_t value = 0; value < level.size(); ++value)
      level[value] = static_cast<float>(static_cast<double>(value) * scale - shift);
    auto* out = tensor.data() + c * (transform.channels_last ? 1 : plane);
    const std::size_t step = transform.channels_last ? channels : 1;
    for (std::size_t i = 0; i < plane; ++i)
      out[i * step] = level[std::to_integer<std::size_t>(pixels[i * channels + c])];
  }
}

}  // namespace neph::serve
