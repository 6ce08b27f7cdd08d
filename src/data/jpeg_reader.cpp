// libjpeg reports errors by not returning. Each function here that enters it sets the way back first
// (setjmp), calls it through functions that own nothing, and keeps what it owns in State, so that a jump
// passes no destructor.
#include "data/jpeg_reader.hpp"

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>
// jerror.h needs jpeglib.h before it.
#include <jerror.h>

namespace neph::data {
namespace {

constexpr int most_scans = 500;  // progressive files have about 10; thousands are made to keep decoders busy

/// The place to return to, and what libjpeg said.
struct Trap {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
  ErrorCode code;
};

Trap& trap_of(j_common_ptr jpeg) { return *reinterpret_cast<Trap*>(jpeg->err); }

bool is_unsupported(int message) {
  switch (message) {
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
    case JERR_COMPONENT_COUNT:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
      return true;
    default:
      return false;
  }
}

[[noreturn]] void jump_back(j_common_ptr jpeg) {
  Trap& trap = trap_of(jpeg);
  trap.code = is_unsupported(trap.manager.msg_code) ? ErrorCode::unsupported : ErrorCode::corrupt;
  trap.manager.format_message(jpeg, trap.message);
  std::longjmp(trap.back, 1);
}

/// Warnings pass, as in Pillow, except that the file ended before the picture did.
void hear_warning(j_common_ptr jpeg, int level) {
  if (level < 0 && trap_of(jpeg).manager.msg_code == JWRN_JPEG_EOF) jump_back(jpeg);
}

void count_scans(j_common_ptr jpeg) {
  if (!jpeg->is_decompressor || reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= most_scans)
    return;
  Trap& trap = trap_of(jpeg);
  trap.code = ErrorCode::unsupported;
  std::snprintf(trap.message, sizeof trap.message, "more than %d scans", most_scans);
  std::longjmp(trap.back, 1);
}

void set_trap(Trap& trap) {
  jpeg_std_error(&trap.manager);
  trap.manager.error_exit = jump_back;
  trap.manager.emit_message = hear_warning;
}

tl::unexpected<Error> failure(const Trap& trap) {
  if (trap.code == ErrorCode::unsupported)
    return fail(trap.code, "a kind of JPEG that is not read here ({})", trap.message);
  if (trap.manager.msg_code == JWRN_JPEG_EOF)
    return fail(trap.code, "cut short: the file ends before its picture");
  return fail(trap.code, "damaged ({})", trap.message);
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
  Trap trap{};
  jpeg_progress_mgr progress{};
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> inks;  ///< one row of CMYK
  JDIMENSION first_column = 0;     ///< of what libjpeg delivers
  JDIMENSION columns = 0;

  State() {
    set_trap(trap);
    jpeg.err = &trap.manager;
    progress.progress_monitor = count_scans;
  }
  ~State() { jpeg_destroy_decompress(&jpeg); }

  bool is_cmyk() const { return jpeg.num_components == 4; }
  int channels() const { return jpeg.num_components == 1 ? 1 : 3; }

  void begin(std::span<const std::byte> file, int reduced);
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

/// Where colour is sampled more coarsely, its upsampling looks at the neighbour: the part's borders must not
/// be seen.
void JpegReader::State::choose_columns(Stretch wanted) {
  constexpr int margin = 8;
  const int width = static_cast<int>(jpeg.output_width);
  const int begin = std::max(0, wanted.begin - margin), end = std::min(width, wanted.end + margin);
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

namespace {

/// Kept apart from write_jpeg so that nothing with a destructor stands between setjmp and longjmp.
struct Encoding {
  jpeg_compress_struct jpeg{};
  Trap trap{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
};

bool encode(Encoding& e, const std::uint8_t* rgb, int width, int height, int quality) {
  set_trap(e.trap);
  e.jpeg.err = &e.trap.manager;
  if (setjmp(e.trap.back) != 0) return false;
  jpeg_create_compress(&e.jpeg);
  jpeg_mem_dest(&e.jpeg, &e.bytes, &e.size);
  e.jpeg.image_width = static_cast<JDIMENSION>(width);
  e.jpeg.image_height = static_cast<JDIMENSION>(height);
  e.jpeg.input_components = 3;
  e.jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&e.jpeg);
  jpeg_set_quality(&e.jpeg, quality, TRUE);
  e.jpeg.comp_info[0].h_samp_factor = e.jpeg.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&e.jpeg, TRUE);
  while (e.jpeg.next_scanline < e.jpeg.image_height) {
    auto* row =
        const_cast<JSAMPROW>(rgb + std::size_t{e.jpeg.next_scanline} * static_cast<std::size_t>(width) * 3);
    jpeg_write_scanlines(&e.jpeg, &row, 1);
  }
  jpeg_finish_compress(&e.jpeg);
  return true;
}

}  // namespace

Result<std::string> write_jpeg(std::span<const std::uint8_t> rgb, int width, int height, int quality) {
  Encoding e;
  const bool done = encode(e, rgb.data(), width, height, quality);
  std::string file(reinterpret_cast<const char*>(e.bytes), done ? e.size : 0);
  jpeg_destroy_compress(&e.jpeg);
  std::free(e.bytes);
  if (!done)
    return fail(ErrorCode::internal, "cannot encode a JPEG of {} x {} pixels: {}", width, height,
                e.trap.message);
  return file;
}

}  // namespace neph::data
