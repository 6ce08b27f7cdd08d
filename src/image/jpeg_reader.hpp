// JPEG by libjpeg-turbo: part of a picture at a reduced size. Only for files of this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/result.hpp"
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

class JpegReader {
 public:
  JpegReader();
  ~JpegReader();
  JpegReader(JpegReader&&) noexcept;
  JpegReader& operator=(JpegReader&&) noexcept;

  /// At least the part, as R G B (grey pictures: one channel), in memory that is kept until the next call.
  /// The part's pixels are those of the whole picture's decoding; what lies behind its last row is not read.
  /// Errors: corrupt, unsupported.
  Result<Pixels> read(std::span<const std::byte> file, const JpegPart& part);

  /// Reads the whole picture's code and keeps nothing. Errors: corrupt, unsupported.
  Status verify(std::span<const std::byte> file);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neph::image
