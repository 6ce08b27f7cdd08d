// What speaks at a port, for errors that name the address that would have worked.
#pragma once

#include <optional>

#include "core/clock.hpp"
#include "wire/endpoint.hpp"

namespace neph::wire {

/// The port as it would be written for what answers there: HTTP or gRPC, in the clear or through TLS. Empty:
/// neither is known to. Asks over up to four connections of its own, for at most `wait` each; nothing is
/// believed of a certificate, and nothing is sent but the protocols' first words.
std::optional<Endpoint> spoken_at(const Endpoint& endpoint, Nanoseconds wait);

}  // namespace neph::wire
