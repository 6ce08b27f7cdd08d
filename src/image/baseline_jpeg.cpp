#include "image/baseline_jpeg.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "image/inverse_dct.hpp"

namespace neph::image {
namespace {

int reduced_length(std::int64_t length, int by) { return static_cast<int>((length + by - 1) / by); }

int big16(std::span<const std::uint8_t> bytes, std::size_t at) { return bytes[at] << 8 | bytes[at + 1]; }

}  // namespace

std::optional<LumaColour> BaselineJpeg::read(std::span<const std::byte> file, const JpegPart& part) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  if (!read_segments(bytes, static_cast<int>(part.width), static_cast<int>(part.height))) return std::nullopt;
  unstuff(bytes.subspan(scan_begin_));
  const Grid grid = lay_out(part);
  if (!decode_scan(grid)) return std::nullopt;

  const int width = reduced_length(part.width, part.reduced),
            height = reduced_length(part.height, part.reduced);
  LumaColour picture;
  picture.grey = components_.size() == 1;
  picture.luma = plane_of(components_[0], grid, width, height);
  if (picture.grey) return picture;
  picture.across = grid.mcu_width / components_[1].width;
  picture.down = grid.mcu_height / components_[1].height;
  const int colour_width = reduced_length(width, picture.across);
  const int colour_height = reduced_length(height, picture.down);
  picture.blue = plane_of(components_[1], grid, colour_width, colour_height);
  picture.red = plane_of(components_[2], grid, colour_width, colour_height);
  return picture;
}

/// T.81, annex B: marker segments up to the scan's data.
bool BaselineJpeg::read_segments(std::span<const std::uint8_t> file, int width, int height) {
  quantisation_seen_ = dc_seen_ = ac_seen_ = 0;
  frame_seen_ = jfif_ = false;
  adobe_transform_ = -1;
  for (std::size_t at = 2; at + 4 <= file.size();) {
    if (file[at] != 0xFF) return false;
    const int marker = file[at + 1];
    const auto length = static_cast<std::size_t>(big16(file, at + 2));
    if (length < 2 || at + 2 + length > file.size()) return false;
    const auto content = file.subspan(at + 4, length - 2);
    at += 2 + length;
    if (marker == 0xDA) {
      scan_begin_ = at;
      return read_scan_header(content);
    }
    if (!read_segment(marker, content, width, height)) return false;
  }
  return false;
}

bool BaselineJpeg::read_segment(int marker, std::span<const std::uint8_t> content, int width, int height) {
  const auto begins_with = [&](std::string_view magic) {
    return content.size() >= magic.size() && std::memcmp(content.data(), magic.data(), magic.size()) == 0;
  };
  switch (marker) {
    case 0xDB:
      return read_quantisation(content);
    case 0xC4:
      return read_huffman(content);
    case 0xC0:
    case 0xC1:
      return read_frame(content, width, height);
    case 0xE0:
      jfif_ = jfif_ || begins_with(std::string_view("JFIF\0", 5));
      return true;
    case 0xEE:
      if (content.size() >= 12 && begins_with("Adobe")) adobe_transform_ = content[11];
      return true;
    default:
      return (marker > 0xE0 && marker <= 0xEF) || marker == 0xFE;  // what applications and comments say
  }
}

bool BaselineJpeg::read_quantisation(std::span<const std::uint8_t> content) {
  while (!content.empty()) {
    const unsigned index = content[0];  // its upper half is 1 for 16 bits, which baseline does not have
    if (index > 3 || content.size() < 65) return false;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t row = zigzag[i] / 8, column = zigzag[i] % 8;
      const double scale = aan_scale(row) * aan_scale(column) / 8;
      quantisation_[index][column * 8 + row] = static_cast<float>(content[1 + i] * scale);
    }
    quantisation_seen_ |= 1U << index;
    content = content.subspan(65);
  }
  return true;
}

bool BaselineJpeg::read_huffman(std::span<const std::uint8_t> content) {
  while (!content.empty()) {
    if (content.size() < 17) return false;
    const bool for_ac = content[0] >> 4;
    const unsigned index = content[0] & 15;
    const auto counts = content.subspan(1, 16);
    std::size_t total = 0;
    for (const auto count : counts) total += count;
    if (index > 3 || content[0] > 0x1F || total > 256 || content.size() < 17 + total) return false;
    if (!(for_ac ? ac_tables_ : dc_tables_)[index].build(counts, content.subspan(17, total), for_ac))
      return false;
    (for_ac ? ac_seen_ : dc_seen_) |= 1U << index;
    content = content.subspan(17 + total);
  }
  return true;
}

bool BaselineJpeg::read_frame(std::span<const std::uint8_t> content, int width, int height) {
  if (frame_seen_ || content.size() < 6 || content[0] != 8) return false;
  if (big16(content, 1) != height || big16(content, 3) != width) return false;
  const std::size_t count = content[5];
  if ((count != 1 && count != 3) || content.size() != 6 + 3 * count) return false;
  components_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto& component = components_[i];
    component.id = content[6 + 3 * i];
    component.across = content[7 + 3 * i] >> 4;
    component.down = content[7 + 3 * i] & 15;
    component.quantisation = content[8 + 3 * i];
    if (component.quantisation > 3) return false;
    const int most = i == 0 && count == 3 ? 2 : 1;  // colour sampled once per MCU, luma once or twice
    if (count > 1 &&
        (component.across < 1 || component.down < 1 || component.across > most || component.down > most))
      return false;
  }
  if (count == 1)
    components_[0].across = components_[0].down = 1;  // T.81 A.2.2: a lone component is not interleaved
  frame_seen_ = true;
  return true;
}

bool BaselineJpeg::read_scan_header(std::span<const std::uint8_t> content) {
  if (!frame_seen_ || !is_luma_and_colour() || content.empty()) return false;
  const std::size_t count = content[0];
  if (count != components_.size() || content.size() != 4 + 2 * count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    auto& component = components_[i];
    if (content[1 + 2 * i] != component.id) return false;
    component.dc = content[2 + 2 * i] >> 4;
    component.ac = content[2 + 2 * i] & 15;
    if (component.dc > 3 || component.ac > 3 || !(dc_seen_ >> component.dc & 1) ||
        !(ac_seen_ >> component.ac & 1) || !(quantisation_seen_ >> component.quantisation & 1))
      return false;
  }
  const auto range = content.subspan(1 + 2 * count);
  return range[0] == 0 && range[1] == 63 && range[2] == 0;
}

/// As libjpeg guesses what three components mean (default_decompress_parms), where it need not guess hard.
bool BaselineJpeg::is_luma_and_colour() const {
  if (components_.size() == 1 || jfif_) return true;
  if (adobe_transform_ >= 0) return adobe_transform_ == 1;
  return components_[0].id == 1 && components_[1].id == 2 && components_[2].id == 3;
}

/// Copies the scan's data up to its end without the zeros that follow each FF (T.81 B.1.1.5).
void BaselineJpeg::unstuff(std::span<const std::uint8_t> data) {
  if (code_.size() < data.size() + BitReader::slack) code_.resize(data.size() + BitReader::slack);
  const std::uint8_t* from = data.data();
  const std::uint8_t* const end = from + data.size();
  std::uint8_t* to = code_.data();
  while (from < end) {
    const auto* mark =
        static_cast<const std::uint8_t*>(std::memchr(from, 0xFF, static_cast<std::size_t>(end - from)));
    const bool stuffed = mark && mark + 1 < end && mark[1] == 0;
    const auto plain = static_cast<std::size_t>((mark ? mark : end) - from) + (stuffed ? 1 : 0);
    std::memcpy(to, from, plain);
    to += plain;
    if (!stuffed) break;  // a marker, or the data's end
    from = mark + 2;
  }
  code_bytes_ = static_cast<std::size_t>(to - code_.data());
  std::memset(to, 0, BitReader::slack);
}

/// Colour that is sampled more coarsely is reduced less.
BaselineJpeg::Grid BaselineJpeg::lay_out(const JpegPart& part) {
  const Component& luma = components_[0];
  for (auto& component : components_) {
    component.width = 8 / std::max(1, part.reduced * component.across / luma.across);
    component.height = 8 / std::max(1, part.reduced * component.down / luma.down);
  }
  Grid grid;
  grid.across = reduced_length(part.width, 8 * luma.across);
  grid.mcu_width = luma.across * luma.width;
  grid.mcu_height = luma.down * luma.height;
  constexpr int margin = 2;  // colour's neighbours
  const int width = reduced_length(part.width, part.reduced),
            height = reduced_length(part.height, part.reduced);
  grid.columns.begin = std::max(0, part.columns.begin - margin) / grid.mcu_width;
  grid.columns.end = reduced_length(std::min(width, part.columns.end + margin), grid.mcu_width);
  grid.rows.begin = std::max(0, part.rows.begin - margin) / grid.mcu_height;
  grid.rows.end = reduced_length(std::min(height, part.rows.end + margin), grid.mcu_height);
  return grid;
}

Plane BaselineJpeg::plane_of(const Component& component, const Grid& grid, int width, int height) {
  return {.data = component.plane.data() + component.origin,
          .stride = component.stride,
          .x = grid.columns.begin * component.across * component.width,
          .y = grid.rows.begin * component.down * component.height,
          .width = width,
          .height = height};
}

}  // namespace neph::image
