#include "core/result.hpp"

#include <cerrno>
#include <cstring>

namespace neph {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::timeout:
      return "timeout";
    case ErrorCode::io:
      return "io";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

int exit_code(ErrorCode code) { return 2 + static_cast<int>(code); }

Error system_error(std::string_view what, int number) {
  const auto code = [number] {
    switch (number) {
      case ENOENT:
      case ENOTDIR:
        return ErrorCode::not_found;
      case EACCES:
      case EPERM:
      case EBUSY:
      case EROFS:
      case EADDRINUSE:
        return ErrorCode::unavailable;
      case EISDIR:
      case EINVAL:
        return ErrorCode::invalid_argument;
      case ETIMEDOUT:
        return ErrorCode::timeout;
      default:
        return ErrorCode::io;
    }
  }();
  return Error{code, fmt::format("{}: {}", what, std::strerror(number))};
}

}  // namespace neph
