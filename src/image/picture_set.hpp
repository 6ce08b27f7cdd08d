// Which files of a folder are usable pictures, and why the others are not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::image {

enum class Format { jpeg, png, bmp };
constexpr auto enum_names(Format) {
  return std::array{Named{Format::jpeg, "jpeg"}, Named{Format::png, "png"}, Named{Format::bmp, "bmp"}};
}

/// Pillow's limit for its DecompressionBombError: twice the pixels of a 24-bit picture of a quarter GiB.
inline constexpr std::int64_t default_max_pixels = 178'956'970;

struct ScanOptions {
  std::int64_t min_file_bytes = 2052;
  std::int64_t max_file_bytes = std::int64_t{1} << 30;
  std::int64_t min_side = 16;
  std::int64_t max_pixels = default_max_pixels;
};

template <class Visit, Describes<ScanOptions> Self>
void describe(Visit&& v, Self& s) {
  v("min_file_bytes", s.min_file_bytes, "smaller files are not used (bytes)", at_least(0));
  v("max_file_bytes", s.max_file_bytes, "larger files are not used (bytes)", at_least(1));
  v("min_side", s.min_side, "images with a shorter side are not used (pixels)", at_least(1));
  v("max_pixels", s.max_pixels, "larger images are refused from their header (pixels)", at_least(1));
}

struct Picture {
  std::string path;
  Format format = Format::jpeg;  ///< by content, whatever the suffix says
  std::int64_t bytes = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

template <class Visit, Describes<Picture> Self>
void describe(Visit&& v, Self& s) {
  v("path", s.path, "the file");
  v("format", s.format, "by content, whatever the suffix says");
  v("bytes", s.bytes, "size of the file");
  v("width", s.width, "pixels");
  v("height", s.height, "pixels");
}

struct Rejected {
  std::string path;
  std::string reason;  ///< "too small a file: 120 bytes, 2052 are the least"
};

template <class Visit, Describes<Rejected> Self>
void describe(Visit&& v, Self& s) {
  v("path", s.path, "the file");
  v("reason", s.reason, "why it is not used");
}

struct PictureSet {
  std::string folder;
  std::vector<Picture> usable;     ///< in the order of their paths, byte by byte
  std::vector<Rejected> rejected;  ///< likewise

  std::int64_t bytes() const;  ///< of all usable files
};

template <class Visit, Describes<PictureSet> Self>
void describe(Visit&& v, Self& s) {
  v("folder", s.folder, "where they lie");
  v("usable", s.usable, "images that can be used");
  v("rejected", s.rejected, "files that cannot, with the reason");
}

/// All pictures below `folder`, judged by their first bytes and, for JPEG, by the presence of the end marker;
/// nothing is decoded. Symbolic links are followed, each folder is entered once. A file or subfolder that
/// cannot be read is a rejected one, not an error. Errors: not_found, invalid_argument (not a folder),
/// unavailable (permission).
Result<PictureSet> scan(const std::filesystem::path& folder, const ScanOptions& options = {});

/// Called after each picture, from one thread at a time.
using PictureProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// As scan(), and every usable picture is decoded to its end on `threads` threads (0: on the calling one).
/// Pictures that fail join the rejected ones. When `stop` is requested the pictures not yet decoded are left
/// as scan() found them.
Result<PictureSet> check(const std::filesystem::path& folder, const ScanOptions& options,
                         std::int64_t threads, const PictureProgress& progress = {},
                         std::stop_token stop = {});

}  // namespace neph::image
