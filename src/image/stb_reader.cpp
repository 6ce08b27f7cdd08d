#include "image/stb_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace {

/// stb_image takes no allocator object, and a few KB of PNG can claim gigabytes once inflated. The largest
/// block that the picture being read on this thread may ask for:
thread_local std::size_t largest_block = 0;

void* bounded_malloc(std::size_t size) {
  return size <= largest_block ? std::malloc(size + neph::image::Pixels::slack) : nullptr;
}
void* bounded_realloc(void* old, std::size_t size) {
  return size <= largest_block ? std::realloc(old, size) : nullptr;
}

}  // namespace

#if defined(__clang__)  // its arithmetic on BMP headers overflows int, harmlessly
#pragma clang attribute push(__attribute__((no_sanitize("undefined"))), apply_to = function)
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wsign-compare"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define STBI_MALLOC(size) bounded_malloc(size)
#define STBI_REALLOC(old, size) bounded_realloc(old, size)
#define STBI_FREE(block) std::free(block)
#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#pragma GCC diagnostic pop
#if defined(__clang__)
#pragma clang attribute pop
#endif

namespace neph::image {
namespace {

std::uint64_t little(std::span<const std::byte> bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= std::to_integer<std::uint64_t>(bytes[at + static_cast<std::size_t>(i)]) << (8 * i);
  return value;
}

/// stb_image reads zeros behind the end of a BMP; a file cut short must not pass.
Status check_bmp_length(std::span<const std::byte> file, const Header& header) {
  if (file.size() < 30) return fail(ErrorCode::corrupt, "cut short: the file ends within its header");
  const auto pixels_at = little(file, 10, 4);
  const auto bits = little(file, 14, 4) == 12 ? little(file, 24, 2) : little(file, 28, 2);
  const auto row_bytes = (static_cast<std::uint64_t>(header.width) * bits + 31) / 32 * 4;
  if (pixels_at + row_bytes * static_cast<std::uint64_t>(header.height) > file.size())
    return fail(ErrorCode::corrupt, "cut short: the file ends before its image");
  return {};
}

Error stb_error(Format format) {
  const char* reason = stbi_failure_reason();
  return {ErrorCode::corrupt,
          fmt::format("damaged, or a kind of {} that is not read here ({})",
                      format == Format::png ? "PNG" : "BMP", reason ? reason : "no reason given")};
}

}  // namespace

Result<StbPicture> StbPicture::read(std::span<const std::byte> file, const Header& header) {
  if (header.format == Format::bmp) NEPH_CHECK(check_bmp_length(file, header));
  constexpr std::size_t widest_pixel = 8;  // 16 bits of R, G, B and alpha
  const auto pixels = static_cast<std::size_t>(header.width) * static_cast<std::size_t>(header.height);
  const auto inflated = (pixels + static_cast<std::size_t>(header.height)) * widest_pixel;
  largest_block = 2 * std::max(inflated, file.size()) + 65536;  // stb doubles its blocks as it goes
  int width = 0, height = 0, channels = 0;
  unsigned char* data = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(file.data()),
                                              static_cast<int>(file.size()), &width, &height, &channels, 3);
  if (!data) return tl::unexpected(stb_error(header.format));
  StbPicture picture(data, width);
  if (width != header.width || height != header.height)
    return fail(ErrorCode::corrupt, "damaged: two headers that differ");
  return picture;
}

StbPicture::~StbPicture() { std::free(data_); }
StbPicture::StbPicture(StbPicture&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), width_(other.width_) {}

Pixels StbPicture::pixels() const {
  return {.data = data_, .stride = static_cast<std::size_t>(width_) * 3, .channels = 3};
}

}  // namespace neph::image
