// What is wanted of a JPEG. Only for files of this room.
#pragma once

#include <cstdint>

#include "image/resize.hpp"

namespace neph::image {

/// Pixels [columns) x [rows) of the picture of `width` x `height` after it is reduced by `reduced` (1, 2, 4,
/// 8; size rounded up).
struct JpegPart {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int reduced = 1;
  Stretch columns;
  Stretch rows;
};

}  // namespace neph::image
