// Client::connect for HTTP.
#pragma once

#include "wire/client.hpp"

namespace neph::wire {

/// Keeps connections alive and has one per request in flight: HTTP/1.1 answers in order, so that a request
/// behind another on the same connection would wait for it.
Result<std::unique_ptr<Client>> connect_http(const Endpoint& endpoint, const ClientOptions& options,
                                             const Clock& clock, Client::Ended ended);

}  // namespace neph::wire
