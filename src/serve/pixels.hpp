// Pixels to the tensor that a network wants. Only for files of this module.
#pragma once

#include <cstddef>
#include <span>

#include "image/image.hpp"

namespace neph::serve {

/// `pixels` is one picture, [height, width, channels] of levels 0..255; `tensor` gets (level / 255 - mean) /
/// deviation in the order of image::Transform.
void normalise_pixels(std::span<const std::byte> pixels, const image::Transform& transform,
                      std::span<float> tensor);

}  // namespace neph::serve
