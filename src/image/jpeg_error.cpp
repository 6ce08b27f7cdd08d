#include "image/jpeg_error.hpp"

#include <jerror.h>

namespace neph::image {
namespace {

JpegTrap& trap_of(j_common_ptr jpeg) { return *reinterpret_cast<JpegTrap*>(jpeg->err); }

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
  JpegTrap& trap = trap_of(jpeg);
  trap.code = is_unsupported(trap.manager.msg_code) ? ErrorCode::unsupported : ErrorCode::corrupt;
  trap.manager.format_message(jpeg, trap.message);
  std::longjmp(trap.back, 1);
}

/// Warnings pass, as in Pillow, except that the file ended before the picture did.
void hear_warning(j_common_ptr jpeg, int level) {
  if (level < 0 && trap_of(jpeg).manager.msg_code == JWRN_JPEG_EOF)
    spring_trap(jpeg, ErrorCode::corrupt, "the file ends before its image");
}

}  // namespace

void JpegTrap::set() {
  jpeg_std_error(&manager);
  manager.error_exit = jump_back;
  manager.emit_message = hear_warning;
}

void spring_trap(j_common_ptr jpeg, ErrorCode code, const char* reason) {
  JpegTrap& trap = trap_of(jpeg);
  trap.code = code;
  std::snprintf(trap.message, sizeof trap.message, "%s", reason);
  std::longjmp(trap.back, 1);
}

}  // namespace neph::image
