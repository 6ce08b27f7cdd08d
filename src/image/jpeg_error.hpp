// libjpeg reports errors by not returning: it must jump. A function that enters libjpeg sets the way back
// first
// (`if (setjmp(trap.back))`), calls it through functions that own nothing, and keeps what it owns in an
// object outside, so that a jump passes no destructor. Only for files of this module.
#pragma once

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include "core/result.hpp"

namespace neph::image {

/// The place to return to, and what libjpeg said.
struct JpegTrap {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
  ErrorCode code;

  /// Points libjpeg's error handling at this trap.
  void set();
};

/// Jumps back with a reason of our own.
[[noreturn]] void spring_trap(j_common_ptr jpeg, ErrorCode code, const char* reason);

}  // namespace neph::image
