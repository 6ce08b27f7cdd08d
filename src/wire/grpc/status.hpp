// Statuses of gRPC as errors of the program.
#pragma once

#include <grpcpp/support/status.h>

#include "core/result.hpp"

namespace neph::wire {

/// Of a call that failed; `what` names the server.
Error error_of(const grpc::Status& status, std::string_view what);

}  // namespace neph::wire
