// PNG and BMP by stb_image. Only for files of this module.
#pragma once

#include <cstddef>
#include <span>

#include "core/result.hpp"
#include "image/header.hpp"
#include "image/resize.hpp"

namespace neph::image {

/// A whole picture as R G B; the memory is the object's.
class StbPicture {
 public:
  /// Errors: corrupt, unsupported.
  static Result<StbPicture> read(std::span<const std::byte> file, const Header& header);
  ~StbPicture();
  StbPicture(StbPicture&& other) noexcept;
  StbPicture& operator=(StbPicture&&) = delete;

  Pixels pixels() const;

 private:
  StbPicture(unsigned char* data, int width) : data_(data), width_(width) {}
  unsigned char* data_;
  int width_;
};

}  // namespace neph::image
