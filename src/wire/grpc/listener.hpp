// GrpcListener::start, inside the plugin.
#pragma once

#include "wire/grpc_listener.hpp"

namespace neph::wire {

/// As GrpcListener::start.
Result<std::unique_ptr<GrpcListener>> listen_grpc(Service& service, const GrpcOptions& options,
                                                  const Clock& clock);

}  // namespace neph::wire
