#include "image/transform.hpp"

#include <algorithm>
#include <cmath>

namespace neph::image {
namespace {

constexpr std::int64_t largest_side = 8192;
constexpr std::int64_t smallest_photograph_side = 64;

}  // namespace

std::size_t Transform::values() const { return static_cast<std::size_t>(channels * crop_side * width()); }

Status validate(const Transform& t) {
  const auto wrong = ErrorCode::invalid_argument;
  if (t.crop_side < 1 || t.resize_side > largest_side || t.crop_side > t.resize_side)
    return fail(
        wrong,
        "cannot cut {0} x {0} from images whose shorter side is {1}: 1 <= crop_side <= resize_side <= {2}",
        t.crop_side, t.resize_side, largest_side);
  if (t.crop_width < 0 || t.crop_width > largest_side)
    return fail(wrong, "width {}: it must be 1 to {}", t.crop_width, largest_side);
  if (t.channels != 1 && t.channels != 3) return fail(wrong, "channels {}: 1 or 3 are possible", t.channels);
  const auto channels = static_cast<std::size_t>(t.channels);
  if (t.mean.size() != channels || t.deviation.size() != channels)
    return fail(wrong, "{} channels need as many means and deviations, not {} and {}", channels,
                t.mean.size(), t.deviation.size());
  if (!std::all_of(t.mean.begin(), t.mean.end(), [](double m) { return std::isfinite(m); }) ||
      !std::all_of(t.deviation.begin(), t.deviation.end(),
                   [](double d) { return std::isfinite(d) && d > 0; }))
    return fail(wrong, "means must be finite and deviations above 0");
  return {};
}

Result<Transform> transform_for_input(std::int64_t channels, std::int64_t height, std::int64_t width,
                                      bool channels_last) {
  if (channels != 1 && channels != 3)
    return fail(ErrorCode::unsupported, "the network's input has {} channels: images have 1 or 3", channels);
  const bool photograph = std::min(height, width) >= smallest_photograph_side;
  Transform t;
  t.crop_side = height;
  t.resize_side = photograph ? std::llround(static_cast<double>(height) * 256 / 224) : height;
  if (width != height) t.crop_width = width;
  t.channels = channels;
  t.channels_last = channels_last;
  if (!photograph || channels == 1) {
    t.mean.assign(static_cast<std::size_t>(channels), 0.0);
    t.deviation.assign(static_cast<std::size_t>(channels), 1.0);
  }
  NEPH_CHECK(validate(t));
  return t;
}

}  // namespace neph::image
