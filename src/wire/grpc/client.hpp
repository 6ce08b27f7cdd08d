// Client::connect for gRPC.
#pragma once

#include "wire/client.hpp"

namespace neph::wire {

/// Has `options.channels` connections; calls take them in turn, and any number is in flight on each.
Result<std::unique_ptr<Client>> connect_grpc(const Endpoint& endpoint, const ClientOptions& options,
                                             const Clock& clock, Client::Ended ended);

}  // namespace neph::wire
