#include "image/jpeg_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "image/jpeg_error.hpp"

namespace neph::image {
namespace {

constexpr int most_scans = 500;  // progressive files have about 10; thousands are made to keep decoders busy

void count_scans(j_common_ptr jpeg) {
  if (jpeg->is_decompressor && reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > most_scans)
    spring_trap(jpeg, ErrorCode::unsupported, "more than 500 scans");
}

tl::unexpected<Error> failure(const JpegTrap& trap) {
  if (trap.code == ErrorCode::unsupported)
    return fail(trap.code, "a kind of JPEG that is not read here: {}", trap.message);
  return fail(trap.code, "cut short or damaged: {}", trap.message);
}

/// Pillow's CMYK to RGB (libImaging/Convert.c, cmyk2rgb). JPEG files hold the inks inverted, as Adobe writes
/// them.
void cmyk_to_rgb(const std::uint8_t* cmyk, int pixels, std::uint8_t* rgb) {
  for (int i = 0; i < pixels; ++i, cmyk += 4, rgb += 3) {
    const int white = cmyk[3];
    for (int c = 0; c < 3; ++c) {
      const int product = (255 - cmyk[c]) * white + 128;
      rgb[c] = static_cast<std::uint8_t>(std::max(0, white - (((product >> 8) + product) >> 8)));
    }
  }
}

}  // namespace

struct JpegReader::State {
  jpeg_decompress_struct jpeg{};
  JpegTrap trap{};
  jpeg_progress_mgr progress{};
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> inks;  ///< one row of CMYK
  JDIMENSION first_column = 0;     ///< of what libjpeg delivers
  JDIMENSION columns = 0;

  State() {
    trap.set();
    jpeg.err = &trap.manager;
    progress.progress_monitor = count_scans;
  }
  ~State() { jpeg_destroy_decompress(&jpeg); }

  bool is_cmyk() const { return jpeg.num_components == 4; }
  int channels() const { return jpeg.num_components == 1 ? 1 : 3; }

  void begin(std::span<const std::byte> file, int reduced);
  bool can_cut_columns() const;
  void choose_columns(Stretch wanted);
  void read_rows(int first, int count, std::size_t stride);
  void read_ink_rows(int count, std::size_t stride);
  void discard_rows();
};

void JpegReader::State::begin(std::span<const std::byte> file, int reduced) {
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&jpeg, TRUE);
  jpeg.progress = &progress;
  jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : is_cmyk() ? JCS_CMYK : JCS_RGB;
  jpeg.scale_num = 1;
  jpeg.scale_denom = static_cast<unsigned>(reduced);
  jpeg_start_decompress(&jpeg);
}

/// Where a colour is reduced less than luma and is still to be spread (4:1:0 at 1/2), jpeg_crop_scanline of
/// libjpeg-turbo 2.1 loses count of its columns.
bool JpegReader::State::can_cut_columns() const {
  for (int i = 0; i < jpeg.num_components; ++i) {
    const auto& component = jpeg.comp_info[i];
    const int across = component.h_samp_factor * component.DCT_scaled_size;
    const int down = component.v_samp_factor * component.DCT_scaled_size;
    const bool whole = across == jpeg.max_h_samp_factor * jpeg.min_DCT_scaled_size &&
                       down == jpeg.max_v_samp_factor * jpeg.min_DCT_scaled_size;
    if (component.DCT_scaled_size != jpeg.min_DCT_scaled_size && !whole) return false;
  }
  return true;
}

/// Where colour is sampled more coarsely, its upsampling looks at the neighbour: the part's borders must not
/// be seen.
void JpegReader::State::choose_columns(Stretch wanted) {
  constexpr int margin = 8;
  const int width = static_cast<int>(jpeg.output_width);
  const bool cut = can_cut_columns();
  const int begin = cut ? std::max(0, wanted.begin - margin) : 0;
  const int end = cut ? std::min(width, wanted.end + margin) : width;
  first_column = static_cast<JDIMENSION>(begin);
  columns = static_cast<JDIMENSION>(end - begin);
  if (end - begin < width) jpeg_crop_scanline(&jpeg, &first_column, &columns);
}

void JpegReader::State::read_rows(int first, int count, std::size_t stride) {
  if (first > 0) jpeg_skip_scanlines(&jpeg, static_cast<JDIMENSION>(first));
  if (is_cmyk()) return read_ink_rows(count, stride);
  constexpr int most_rows = 16;
  for (int got = 0; got < count;) {
    JSAMPROW rows[most_rows];
    const int ask = std::min(most_rows, count - got);
    for (int i = 0; i < ask; ++i) rows[i] = pixels.data() + stride * static_cast<std::size_t>(got + i);
    got += static_cast<int>(jpeg_read_scanlines(&jpeg, rows, static_cast<JDIMENSION>(ask)));
  }
}

void JpegReader::State::read_ink_rows(int count, std::size_t stride) {
  for (int got = 0; got < count;) {
    JSAMPROW row = inks.data();
    if (jpeg_read_scanlines(&jpeg, &row, 1) == 0) continue;
    cmyk_to_rgb(inks.data(), static_cast<int>(columns),
                pixels.data() + stride * static_cast<std::size_t>(got++));
  }
}

void JpegReader::State::discard_rows() {
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = pixels.data();
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
}

JpegReader::JpegReader() : state_(std::make_unique<State>()) {
  // Fails only when the heap is exhausted or the headers are of another libjpeg; every later call then fails
  // too.
  if (setjmp(state_->trap.back) == 0) jpeg_create_decompress(&state_->jpeg);
}
JpegReader::~JpegReader() = default;
JpegReader::JpegReader(JpegReader&&) noexcept = default;
JpegReader& JpegReader::operator=(JpegReader&&) noexcept = default;

Result<Pixels> JpegReader::read(std::span<const std::byte> file, const JpegPart& part) {
  State& s = *state_;
  if (setjmp(s.trap.back) != 0) {
    jpeg_abort_decompress(&s.jpeg);
    return failure(s.trap);
  }
  s.begin(file, part.reduced);
  if (s.jpeg.image_width != part.width || s.jpeg.image_height != part.height) {
    jpeg_abort_decompress(&s.jpeg);
    return fail(ErrorCode::corrupt, "damaged: two frame headers that differ");
  }
  s.choose_columns(part.columns);
  const std::size_t stride = static_cast<std::size_t>(s.columns) * static_cast<std::size_t>(s.channels());
  const std::size_t bytes = stride * static_cast<std::size_t>(part.rows.length()) + Pixels::slack;
  if (s.pixels.size() < bytes) s.pixels.resize(bytes);
  if (s.is_cmyk()) s.inks.resize(std::size_t{s.columns} * 4);
  s.read_rows(part.rows.begin, part.rows.length(), stride);
  jpeg_abort_decompress(&s.jpeg);
  return Pixels{.data = s.pixels.data(),
                .stride = stride,
                .x = static_cast<int>(s.first_column),
                .y = part.rows.begin,
                .channels = s.channels()};
}

Status JpegReader::verify(std::span<const std::byte> file) {
  State& s = *state_;
  if (setjmp(s.trap.back) != 0) {
    jpeg_abort_decompress(&s.jpeg);
    return failure(s.trap);
  }
  s.begin(file, 8);  // the entropy code is read in full at every size, and what follows it cannot fail
  const std::size_t bytes = std::size_t{s.jpeg.output_width} * 4;
  if (s.pixels.size() < bytes) s.pixels.resize(bytes);
  s.discard_rows();
  return {};
}

}  // namespace neph::image
