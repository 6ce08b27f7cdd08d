// The eight errors of the program as statuses of gRPC, and back.
#pragma once

#include <grpcpp/support/status.h>

#include "core/result.hpp"

namespace neph::wire {

grpc::Status grpc_status(const Error& error);
grpc::Status grpc_status(const Status& status);
/// Of a call that failed; `what` names the server.
Error error_of(const grpc::Status& status, std::string_view what);

}  // namespace neph::wire
