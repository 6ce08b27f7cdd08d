// What happens to a picture's pixels on the way to the network's input.
#pragma once

#include <cstdint>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::image {

/// Shorter side to `resize_side` (the longer side as torchvision has it: int(resize_side * long / short)),
/// the centre crop_side x crop_side of it (offsets rounded half to even, as Python's round), then (value /
/// 255 - mean) / deviation per channel. The result is `channels` planes of float32, row by row (CHW): R, G,
/// B, or luma (ITU-R 601, as Pillow's "L") alone; with `channels_last` the planes are interleaved (HWC).
/// Values are rounded to whole levels 0..255 before they are normalised, as the 8-bit pictures are on which
/// networks are trained. The EXIF orientation is ignored, as Pillow and the usual evaluation scripts do. The
/// defaults are the ImageNet evaluation.
struct Transform {
  std::int64_t resize_side = 256;
  std::int64_t crop_side = 224;
  std::int64_t channels = 3;
  std::vector<double> mean = {0.485, 0.456, 0.406};
  std::vector<double> deviation = {0.229, 0.224, 0.225};
  bool channels_last = false;
  /// Of an input that is not square: the picture is brought to just cover crop_width x crop_side, and the
  /// centre of that is cut out; resize_side is not looked at. 0: square.
  std::int64_t crop_width = 0;

  std::int64_t width() const { return crop_width > 0 ? crop_width : crop_side; }
  /// Values of one tensor: channels x crop_side x width().
  std::size_t values() const;

  bool operator==(const Transform&) const = default;
};

template <class Visit, Describes<Transform> Self>
void describe(Visit&& v, Self& s) {
  v("resize_side", s.resize_side, "the shorter side is brought to this (pixels)", between(1, 8192));
  v("crop_side", s.crop_side, "side of the square cut from the centre (pixels)", between(1, 8192));
  v("channels", s.channels, "3: R, G, B; 1: luma", between(1, 3));
  v("mean", s.mean, "per channel, of values scaled to 0..1");
  v("deviation", s.deviation, "per channel, of values scaled to 0..1");
  v("channels_last", s.channels_last, "the tensor is [height, width, channels]");
  v("crop_width", s.crop_width, "width of what is cut, where that is not square; 0: square (pixels)",
    between(0, 8192));
}

/// invalid_argument unless sides are 1..8192 with crop_side <= resize_side, channels 1 or 3 and mean and
/// deviation have one finite value per channel, the deviations above 0.
Status validate(const Transform& transform);

/// The transform for a network with input [n, channels, height, width], or with `channels_last` [n, height,
/// width, channels].
/// 64 pixels and more: the ImageNet evaluation in its ratio of 256 to 224. Less (MNIST 28 x 28, CIFAR-10 32 x
/// 32): the whole picture, its centre square brought to the network's side. Three channels get ImageNet's
/// mean and deviation at 64 pixels and more; otherwise values stay in 0..1. Errors: unsupported (channels
/// other than 1 or 3).
Result<Transform> transform_for_input(std::int64_t channels, std::int64_t height, std::int64_t width,
                                      bool channels_last = false);

}  // namespace neph::image
