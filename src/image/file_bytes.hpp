// Reading a file into memory that is used again for the next one. Only for files of this module.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "core/result.hpp"

namespace neph::image {

/// An open regular file. Opening does not wait for the other end of a pipe.
class InputFile {
 public:
  /// Errors: not_found, unavailable (permission), invalid_argument (not a regular file), io. `path` must
  /// outlive it.
  static Result<InputFile> open(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  std::int64_t bytes() const { return bytes_; }
  int descriptor() const { return fd_; }
  /// Up to into.size() bytes from `offset`; fewer only at the file's end. Errors: io.
  Result<std::size_t> read_at(std::int64_t offset, std::span<std::byte> into) const;

 private:
  InputFile(int fd, std::int64_t bytes, const std::filesystem::path& path)
      : fd_(fd), bytes_(bytes), path_(&path) {}
  int fd_;
  std::int64_t bytes_;
  const std::filesystem::path* path_;
};

/// The whole file, in `buffer`, which grows and never shrinks. Errors as InputFile's.
Result<std::span<const std::byte>> read_into(const std::filesystem::path& path,
                                             std::vector<std::byte>& buffer);

}  // namespace neph::image
