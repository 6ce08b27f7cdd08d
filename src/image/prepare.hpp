// The same pictures brought to the network's size once, as files.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "image/picture_set.hpp"
#include "image/transform.hpp"

namespace neph::image {

/// Its name in a prepared folder.
inline constexpr const char* prepared_manifest = "neph-prepared.json";

struct PrepareOptions {
  std::int64_t jpeg_quality = 92;  ///< the highest at which most ImageNet files were saved
  std::int64_t threads = 2;
  std::int64_t max_pixels = default_max_pixels;
};

template <class Visit, Describes<PrepareOptions> Self>
void describe(Visit&& v, Self& s) {
  v("jpeg_quality", s.jpeg_quality, "quality of the files written (libjpeg's scale)", between(1, 100));
  v("threads", s.threads, "threads that decode and encode", at_least(0));
  v("max_pixels", s.max_pixels, "larger images are refused from their header (pixels)", at_least(1));
}

/// What a prepared folder says of itself, in its manifest.
struct Prepared {
  std::int64_t version = 1;
  std::int64_t resize_side = 256;  ///< before the crop, when it was prepared
  std::int64_t crop_side = 224;    ///< both sides of every picture
  std::int64_t jpeg_quality = 92;
  std::int64_t pictures = 0;
  std::string source;  ///< the folder they were made from
};

template <class Visit, Describes<Prepared> Self>
void describe(Visit&& v, Self& s) {
  v("version", s.version, "of this file's format");
  v("resize_side", s.resize_side, "the shorter side before the crop (pixels)", at_least(1));
  v("crop_side", s.crop_side, "both sides of every image (pixels)", at_least(1));
  v("jpeg_quality", s.jpeg_quality, "libjpeg's scale");
  v("pictures", s.pictures, "how many", at_least(0));
  v("source", s.source, "the folder they were made from");
}

struct PrepareResult {
  Prepared prepared;
  std::vector<Rejected> rejected;  ///< pictures that could not be decoded
  std::int64_t bytes = 0;          ///< written
};

/// Writes every usable picture of the set, resized and cropped as `transform` says, to `folder` as
/// 000000.jpg, 000001.jpg, ... in the set's order (JPEG 4:4:4), and last the manifest; `folder` is made if
/// need be. Each file appears whole or not at all, and without the manifest the folder is not a prepared one.
/// JPEG and not raw pixels: the point is what decoding still costs when the size is right already.
/// Errors: invalid_argument (transform, quality; the folder is the source, or holds other files), io,
/// unavailable (stopped).
Result<PrepareResult> prepare(const PictureSet& set, const Transform& transform,
                              const std::filesystem::path& folder, const PrepareOptions& options = {},
                              const PictureProgress& progress = {}, std::stop_token stop = {});

/// The manifest, if `folder` has one. Errors: corrupt (it cannot be understood), io.
Result<std::optional<Prepared>> read_prepared(const std::filesystem::path& folder);

/// `transform` for pictures that are prepared already: no resize, no crop. Errors: invalid_argument when they
/// were prepared for another size.
Result<Transform> transform_for_prepared(const Prepared& prepared, Transform transform);

}  // namespace neph::image
