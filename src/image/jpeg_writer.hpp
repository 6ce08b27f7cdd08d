// Pictures to JPEG by libjpeg-turbo. Only for files of this module.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/result.hpp"

namespace neph::image {

struct JpegSettings {
  int quality = 92;         ///< libjpeg's scale, 1 to 100
  bool full_colour = true;  ///< 4:4:4; else 4:2:0
  bool grey = false;        ///< only the first component is kept
};

/// R G B pixels, row by row without padding. Errors: internal.
Result<std::string> write_jpeg(std::span<const std::uint8_t> rgb, int width, int height,
                               const JpegSettings& settings);

}  // namespace neph::image
