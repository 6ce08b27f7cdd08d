#include "wire/grpc/status.hpp"

#include <fmt/format.h>

namespace neph::wire {
namespace {

ErrorCode code_of(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::OUT_OF_RANGE:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::ALREADY_EXISTS:
      return ErrorCode::invalid_argument;
    case grpc::StatusCode::NOT_FOUND:
      return ErrorCode::not_found;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return ErrorCode::timeout;
    case grpc::StatusCode::UNIMPLEMENTED:
      return ErrorCode::unsupported;
    case grpc::StatusCode::DATA_LOSS:
      return ErrorCode::corrupt;
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
      return ErrorCode::unavailable;
    default:
      return ErrorCode::internal;
  }
}

}  // namespace

Error error_of(const grpc::Status& status, std::string_view what) {
  const bool is_too_large =
      status.error_message().find("message larger than max") != std::string::npos;  // will be so again
  return {is_too_large ? ErrorCode::invalid_argument : code_of(status.error_code()),
          fmt::format("{}: {}", what, status.error_message())};
}

}  // namespace neph::wire
