// One picture: bytes of a file → tensor.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "image/picture_set.hpp"
#include "image/transform.hpp"

namespace neph::image {

/// Time of the calling thread, by stage.
struct StageTimes {
  Nanoseconds read{};        ///< from the file into memory
  Nanoseconds decode{};      ///< from the file's bytes to pixels
  Nanoseconds preprocess{};  ///< from pixels to the tensor: resize, crop, normalise

  StageTimes& operator+=(const StageTimes& other);
};

/// Decodes and transforms. JPEG is decoded by libjpeg-turbo at the smallest of 1, 1/2, 1/4, 1/8 whose shorter
/// side is still at least resize_side, and only where the crop needs it; the reduced picture's pixels are
/// means of the full one's, so that the filter of the full picture, summed over those means, is what is
/// applied to it. The resize is antialiased with a triangle filter (Pillow's BILINEAR; support and weights of
/// its precompute_coeffs). Grey, CMYK, YCCK, palette and 16-bit pictures come out as Pillow's convert("RGB")
/// has them; alpha is dropped, not blended; but 16-bit grey keeps its upper eight bits, where Pillow clips at
/// 255. Refused as unsupported: arithmetic-coded, lossless and 12-bit JPEG, more than 500 scans. Threads: one
/// at a time. Its own buffers are kept from picture to picture; libjpeg's and stb's working memory is not.
class Decoder {
 public:
  /// `clock` outlives the decoder. `transform` must be valid.
  Decoder(Transform transform, const Clock& clock, std::int64_t max_pixels = default_max_pixels);
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  const Transform& transform() const;

  /// `tensor` has transform().values() values, in the transform's order; its content is unspecified after an
  /// error. Errors, without the file's name, which only the caller knows: corrupt (cut short, damaged),
  /// unsupported (format, coding, too many pixels).
  Result<StageTimes> decode(std::span<const std::byte> file, std::span<float> tensor);

  /// The resized and cropped picture before normalising: crop_side x crop_side pixels, R G B interleaved
  /// (`channels` is not looked at). Errors as above.
  Status decode_rgb(std::span<const std::byte> file, std::span<std::uint8_t> rgb);

  /// Decodes the whole picture and keeps nothing. Errors as above.
  Status verify(std::span<const std::byte> file);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neph::image
