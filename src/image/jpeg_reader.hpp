// JPEG by libjpeg-turbo: part of a picture at a reduced size. Only for files of this room.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "image/jpeg_part.hpp"
#include "image/resize.hpp"

namespace neph::image {

class JpegReader {
 public:
  JpegReader();
  ~JpegReader();
  JpegReader(JpegReader&&) noexcept;
  JpegReader& operator=(JpegReader&&) noexcept;

  /// At least the part, as R G B (grey pictures: one channel), in memory that is kept until the next call.
  /// What lies behind its last row is not read. Errors: corrupt, unsupported.
  Result<Pixels> read(std::span<const std::byte> file, const JpegPart& part);

  /// Reads the whole picture's code and keeps nothing. Errors: corrupt, unsupported.
  Status verify(std::span<const std::byte> file);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neph::image
