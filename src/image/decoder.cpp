#include "image/decoder.hpp"

#include <algorithm>
#include <cmath>

#include "image/header.hpp"
#include "image/jpeg_reader.hpp"
#include "image/resize.hpp"
#include "image/stb_reader.hpp"

namespace neph::image {
namespace {

/// The resized picture's size, and the part of it that is cut out.
struct Geometry {
  int width;
  int height;
  Stretch columns;
  Stretch rows;
};

/// Rounds half to even, as Python's round(), which places the crop in torchvision and in scripts with Pillow.
Stretch centre(int length, int side) {
  const int begin = static_cast<int>(std::nearbyint((length - side) / 2.0));
  return {begin, begin + side};
}

/// The smallest size that covers what is cut out.
Geometry covering(const Header& header, const Transform& transform) {
  const auto height = static_cast<int>(transform.crop_side), width = static_cast<int>(transform.crop_width);
  const double scale = std::max(static_cast<double>(width) / static_cast<double>(header.width),
                                static_cast<double>(height) / static_cast<double>(header.height));
  const auto scaled = [&](auto size, int least) {
    return std::max(least, static_cast<int>(std::lround(static_cast<double>(size) * scale)));
  };
  Geometry g{.width = scaled(header.width, width),
             .height = scaled(header.height, height),
             .columns = {},
             .rows = {}};
  g.columns = centre(g.width, width);
  g.rows = centre(g.height, height);
  return g;
}

/// torchvision's Resize(side): the longer side is int(side * long / short).
Geometry geometry_of(const Header& header, const Transform& transform) {
  if (transform.crop_width > 0) return covering(header, transform);
  const auto shorter = static_cast<double>(std::min(header.width, header.height));
  const auto longer = static_cast<double>(std::max(header.width, header.height));
  const auto side = static_cast<int>(transform.resize_side), crop = static_cast<int>(transform.crop_side);
  const int other = static_cast<int>(side * longer / shorter);
  Geometry g{};
  g.width = header.width < header.height ? side : other;
  g.height = header.width < header.height ? other : side;
  g.columns = centre(g.width, crop);
  g.rows = centre(g.height, crop);
  return g;
}

/// A strip of 1 x 60000 pixels would be resized to 256 x 15 million of which 224 are used: fine for the
/// kernel, which makes only those, but the positions must be numbers that an int holds.
Status check_shape(const Header& header, const Transform& transform) {
  constexpr double most = 1 << 24;
  const auto shorter = static_cast<double>(std::min(header.width, header.height));
  const auto longer = static_cast<double>(std::max(header.width, header.height));
  const auto side = std::max({transform.resize_side, transform.crop_side, transform.crop_width});
  if (longer / shorter * static_cast<double>(side) <= most) return {};
  return fail(ErrorCode::unsupported, "too narrow an image: {} x {} pixels", header.width, header.height);
}

/// libjpeg-turbo is quick at these only.
int jpeg_reduction(const Header& header, const Transform& transform) {
  const bool is_square = transform.crop_width == 0;
  const auto wanted = is_square ? Geometry{} : covering(header, transform);
  const auto shorter = std::min(header.width, header.height);
  for (const int reduced : {8, 4, 2}) {
    const auto left = [&](std::int64_t size) { return (size + reduced - 1) / reduced; };
    if (is_square ? left(shorter) >= transform.resize_side
                  : left(header.width) >= wanted.width && left(header.height) >= wanted.height)
      return reduced;
  }
  return 1;
}

Planes planes_of(const Transform& transform) {
  Planes planes{.count = static_cast<int>(transform.channels)};
  for (int p = 0; p < planes.count; ++p) {
    const double mean = transform.mean[static_cast<std::size_t>(p)];
    const double deviation = transform.deviation[static_cast<std::size_t>(p)];
    planes.scale[p] = static_cast<float>(1 / (255 * deviation));
    planes.offset[p] = static_cast<float>(-mean / deviation);
  }
  return planes;
}

Result<Header> header_of(std::span<const std::byte> file, std::int64_t max_pixels) {
  NEPH_TRY(const auto header, read_header(file, true));
  NEPH_CHECK(check_pixels(*header, max_pixels));
  if (header->format == Format::jpeg && !has_jpeg_end(file))
    return fail(ErrorCode::corrupt, "cut short: a JPEG without its end marker");
  return *header;
}

}  // namespace

StageTimes& StageTimes::operator+=(const StageTimes& other) {
  read += other.read;
  decode += other.decode;
  preprocess += other.preprocess;
  return *this;
}

struct Decoder::State {
  Transform transform;
  const Clock& clock;
  std::int64_t max_pixels;
  Planes planes;
  JpegReader jpeg;
  Taps horizontal, vertical;
  ResizeBuffers buffers;
  std::vector<float> separate;  ///< planes on their way to be interleaved

  Result<StageTimes> decode(std::span<const std::byte> file, const Planes& wanted, std::span<float> tensor);
  void choose_taps(const Header& header, int reduced);
};

void Decoder::State::choose_taps(const Header& header, int reduced) {
  const Geometry g = geometry_of(header, transform);
  triangle_taps(static_cast<int>(header.width), g.width, g.columns, reduced, horizontal);
  triangle_taps(static_cast<int>(header.height), g.height, g.rows, reduced, vertical);
}

Result<StageTimes> Decoder::State::decode(std::span<const std::byte> file, const Planes& wanted,
                                          std::span<float> tensor) {
  const Moment start = clock.now();
  NEPH_TRY(const Header header, header_of(file, max_pixels));
  NEPH_CHECK(check_shape(header, transform));
  const bool is_jpeg = header.format == Format::jpeg;
  const int reduced = is_jpeg ? jpeg_reduction(header, transform) : 1;
  choose_taps(header, reduced);
  const auto finish = [&](const Pixels& pixels) {
    const Moment decoded = clock.now();
    resize(pixels, horizontal, vertical, wanted, tensor, buffers);
    return StageTimes{.decode = decoded - start, .preprocess = clock.now() - decoded};
  };
  if (!is_jpeg) {
    NEPH_TRY(const StbPicture picture, StbPicture::read(file, header));
    return finish(picture.pixels());
  }
  const JpegPart part{.width = header.width,
                      .height = header.height,
                      .reduced = reduced,
                      .columns = horizontal.source(),
                      .rows = vertical.source()};
  NEPH_TRY(const Pixels pixels, jpeg.read(file, part));
  return finish(pixels);
}

namespace {

/// Three planes one after the other to R G B R G B ...
template <class T>
void interleave(std::span<const float> planes, std::span<T> to) {
  const auto plane = planes.size() / 3;
  for (std::size_t i = 0; i < plane; ++i)
    for (std::size_t c = 0; c < 3; ++c) to[3 * i + c] = static_cast<T>(planes[c * plane + i]);
}

}  // namespace

Decoder::Decoder(Transform transform, const Clock& clock, std::int64_t max_pixels)
    : state_(new State{.transform = std::move(transform), .clock = clock, .max_pixels = max_pixels}) {
  state_->planes = planes_of(state_->transform);
}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

const Transform& Decoder::transform() const { return state_->transform; }

Result<StageTimes> Decoder::decode(std::span<const std::byte> file, std::span<float> tensor) {
  if (!state_->transform.channels_last || state_->transform.channels == 1)
    return state_->decode(file, state_->planes, tensor);
  state_->separate.resize(tensor.size());
  NEPH_TRY(auto times, state_->decode(file, state_->planes, state_->separate));
  const Moment begin = state_->clock.now();
  interleave<float>(state_->separate, tensor);
  times.preprocess += state_->clock.now() - begin;
  return times;
}

Status Decoder::decode_rgb(std::span<const std::byte> file, std::span<std::uint8_t> rgb) {
  const auto side = static_cast<std::size_t>(state_->transform.crop_side);
  state_->separate.resize(3 * side * side);
  NEPH_CHECK(state_->decode(file, Planes{}, state_->separate));
  interleave<std::uint8_t>(state_->separate, rgb);
  return {};
}

Status Decoder::verify(std::span<const std::byte> file) {
  NEPH_TRY(const Header header, header_of(file, state_->max_pixels));
  NEPH_CHECK(check_shape(header, state_->transform));
  if (header.format == Format::jpeg) return state_->jpeg.verify(file);
  NEPH_CHECK(StbPicture::read(file, header));
  return {};
}

}  // namespace neph::image
