#include "image/jpeg_writer.hpp"

#include <cstdlib>

#include "image/jpeg_error.hpp"

namespace neph::image {
namespace {

/// Kept outside the function that libjpeg jumps back to.
struct Encoding {
  jpeg_compress_struct jpeg{};
  JpegTrap trap{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  ~Encoding() {
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
  }
};

void set_parameters(jpeg_compress_struct& jpeg, int width, int height, const JpegSettings& settings) {
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  if (settings.grey) jpeg_set_colorspace(&jpeg, JCS_GRAYSCALE);
  jpeg_set_quality(&jpeg, settings.quality, TRUE);
  if (settings.full_colour) jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
}

bool encode(Encoding& e, const std::uint8_t* rgb, int width, int height, const JpegSettings& settings) {
  e.trap.set();
  e.jpeg.err = &e.trap.manager;
  if (setjmp(e.trap.back) != 0) return false;
  jpeg_create_compress(&e.jpeg);
  jpeg_mem_dest(&e.jpeg, &e.bytes, &e.size);
  set_parameters(e.jpeg, width, height, settings);
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

Result<std::string> write_jpeg(std::span<const std::uint8_t> rgb, int width, int height,
                               const JpegSettings& settings) {
  Encoding e;
  if (!encode(e, rgb.data(), width, height, settings))
    return fail(ErrorCode::internal, "cannot encode a JPEG of {} x {} pixels: {}", width, height,
                e.trap.message);
  return std::string(reinterpret_cast<const char*>(e.bytes), e.size);
}

}  // namespace neph::image
