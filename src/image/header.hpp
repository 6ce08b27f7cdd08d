// What a file says it is, from its first bytes: format and size, before anything is allocated for it.
// Only for files of this module.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/result.hpp"
#include "image/picture_set.hpp"

namespace neph::image {

struct Header {
  Format format = Format::jpeg;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// Empty when the header goes on behind `start`. `start` with all bytes of a file gives a header or an error:
/// corrupt (not a picture, damaged), unsupported (a known format that is not read here, a kind of JPEG that
/// is not).
Result<std::optional<Header>> read_header(std::span<const std::byte> start, bool whole_file);

/// unsupported when the picture is a bomb (more than max_pixels).
Status check_pixels(const Header& header, std::int64_t max_pixels);

/// Whether a JPEG's end marker stands somewhere in these bytes, looked for from their end.
bool has_jpeg_end(std::span<const std::byte> bytes);

}  // namespace neph::image
