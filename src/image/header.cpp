#include "image/header.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace neph::image {
namespace {

using namespace std::string_view_literals;

using MaybeHeader = Result<std::optional<Header>>;

std::uint32_t byte_at(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<std::uint32_t>(bytes[at]);
}
std::uint32_t big16(std::span<const std::byte> b, std::size_t at) {
  return byte_at(b, at) << 8 | byte_at(b, at + 1);
}
std::uint32_t big32(std::span<const std::byte> b, std::size_t at) {
  return big16(b, at) << 16 | big16(b, at + 2);
}
std::uint32_t little16(std::span<const std::byte> b, std::size_t at) {
  return byte_at(b, at) | byte_at(b, at + 1) << 8;
}
std::uint32_t little32(std::span<const std::byte> b, std::size_t at) {
  return little16(b, at) | little16(b, at + 2) << 16;
}

bool starts_with(std::span<const std::byte> bytes, std::string_view magic, std::size_t at = 0) {
  return bytes.size() >= at + magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

/// The rest of the file would be needed, or the file ends too early.
MaybeHeader unfinished(bool whole_file) {
  if (!whole_file) return std::optional<Header>{};
  return fail(ErrorCode::corrupt, "cut short: the file ends within its header");
}

MaybeHeader sized(Format format, std::int64_t width, std::int64_t height) {
  if (width <= 0 || height <= 0)
    return fail(ErrorCode::corrupt, "damaged: its header gives a size of {} x {} pixels", width, height);
  return Header{.format = format, .width = width, .height = height};
}

/// ITU-T T.81, table B.1: which start-of-frame markers there are.
Status check_frame_kind(std::uint32_t marker) {
  switch (marker) {
    case 0xC0:
    case 0xC1:
    case 0xC2:
      return {};
    case 0xC3:
    case 0xCB:
      return fail(ErrorCode::unsupported, "lossless JPEG is not read here");
    case 0xC9:
    case 0xCA:
      return fail(ErrorCode::unsupported, "arithmetic-coded JPEG is not read here");
    default:
      return fail(ErrorCode::unsupported, "hierarchical JPEG is not read here");
  }
}

MaybeHeader jpeg_frame(std::span<const std::byte> frame, std::uint32_t marker) {
  NEPH_CHECK(check_frame_kind(marker));
  if (const auto bits = byte_at(frame, 0); bits != 8)
    return fail(ErrorCode::unsupported, "JPEG with {} bits per sample is not read here, only with 8", bits);
  if (const auto components = byte_at(frame, 5); components != 1 && components != 3 && components != 4)
    return fail(ErrorCode::unsupported, "JPEG with {} components is not read here", components);
  return sized(Format::jpeg, big16(frame, 3), big16(frame, 1));
}

bool is_frame(std::uint32_t marker) {  // SOF0..SOF15 without DHT, JPG, DAC, which lie between them
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}
bool stands_alone(std::uint32_t marker) { return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8); }

/// Walks the marker segments to the start of the frame (T.81, annex B).
MaybeHeader jpeg_header(std::span<const std::byte> bytes, bool whole_file) {
  std::size_t at = 2;
  for (;;) {
    while (at < bytes.size() && byte_at(bytes, at) != 0xFF) ++at;  // libjpeg skips stray bytes too
    while (at < bytes.size() && byte_at(bytes, at) == 0xFF) ++at;  // fill bytes
    if (at >= bytes.size()) return unfinished(whole_file);
    const auto marker = byte_at(bytes, at++);
    if (marker == 0 || stands_alone(marker)) continue;
    if (marker == 0xD9 || marker == 0xDA)
      return fail(ErrorCode::corrupt, "damaged: no image begins before its data");
    if (at + 2 > bytes.size()) return unfinished(whole_file);
    const auto length = big16(bytes, at);
    if (length < 2) return fail(ErrorCode::corrupt, "damaged: a marker segment of {} bytes", length);
    if (is_frame(marker)) {
      if (length < 8) return fail(ErrorCode::corrupt, "damaged: a frame header of {} bytes", length);
      if (at + 8 > bytes.size()) return unfinished(whole_file);
      return jpeg_frame(bytes.subspan(at + 2), marker);
    }
    at += length;
  }
}

MaybeHeader png_header(std::span<const std::byte> bytes, bool whole_file) {
  if (bytes.size() < 26) return unfinished(whole_file);
  if (!starts_with(bytes, "IHDR"sv, 12)) return fail(ErrorCode::corrupt, "damaged: a PNG without its header");
  const auto width = big32(bytes, 16), height = big32(bytes, 20);
  if (width > 0x7fffffff || height > 0x7fffffff)
    return fail(ErrorCode::corrupt, "damaged: a PNG of impossible size");
  return sized(Format::png, width, height);
}

MaybeHeader bmp_header(std::span<const std::byte> bytes, bool whole_file) {
  if (bytes.size() < 26) return unfinished(whole_file);
  const auto header_bytes = little32(bytes, 14);
  if (header_bytes == 12) return sized(Format::bmp, little16(bytes, 18), little16(bytes, 20));
  if (header_bytes < 40 || header_bytes > 256)
    return fail(ErrorCode::corrupt, "not an image, though it begins like a BMP");
  const std::int64_t height =
      static_cast<std::int32_t>(little32(bytes, 22));  // below 0: rows from top to bottom
  return sized(Format::bmp, static_cast<std::int32_t>(little32(bytes, 18)), height < 0 ? -height : height);
}

struct Magic {
  std::string_view bytes;
  std::size_t at;
  std::string_view name;
};
constexpr std::array known_formats{
    Magic{"GIF8"sv, 0, "GIF"},
    Magic{"WEBP"sv, 8, "WebP"},
    Magic{"II*\0"sv, 0, "TIFF"},
    Magic{"MM\0*"sv, 0, "TIFF"},
    Magic{"ftyphei"sv, 4, "HEIF"},
    Magic{"ftypavif"sv, 4, "AVIF"},
    Magic{"\0\0\0\fjP"sv, 0, "JPEG 2000"},
    Magic{"\xFF\x0A"sv, 0, "JPEG XL"},
    Magic{"8BPS"sv, 0, "Photoshop"},
};

MaybeHeader not_ours(std::span<const std::byte> bytes) {
  for (const auto& magic : known_formats)
    if (starts_with(bytes, magic.bytes, magic.at))
      return fail(ErrorCode::unsupported, "a {} file; JPEG, PNG and BMP are read", magic.name);
  if (bytes.empty()) return fail(ErrorCode::corrupt, "empty");
  return fail(ErrorCode::corrupt, "not an image: its content is neither JPEG nor PNG nor BMP");
}

}  // namespace

Result<std::optional<Header>> read_header(std::span<const std::byte> start, bool whole_file) {
  if (starts_with(start, "\xFF\xD8\xFF"sv)) return jpeg_header(start, whole_file);
  if (starts_with(start, "\x89PNG\r\n\x1a\n"sv)) return png_header(start, whole_file);
  if (starts_with(start, "BM"sv)) return bmp_header(start, whole_file);
  return not_ours(start);
}

Status check_pixels(const Header& header, std::int64_t max_pixels) {
  // In floating point: a PNG's header may claim 2^31 x 2^31.
  if (static_cast<double>(header.width) * static_cast<double>(header.height) <=
      static_cast<double>(max_pixels))
    return {};
  return fail(ErrorCode::unsupported, "an image of {} x {} pixels, {} are the most: refused from its header",
              header.width, header.height, max_pixels);
}

bool has_jpeg_end(std::span<const std::byte> bytes) {
  for (std::size_t at = bytes.size(); at >= 2; --at)
    if (bytes[at - 1] == std::byte{0xD9} && bytes[at - 2] == std::byte{0xFF}) return true;
  return false;
}

}  // namespace neph::image
