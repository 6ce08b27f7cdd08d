// One request before all others.
#pragma once

#include <stop_token>

#include "core/clock.hpp"
#include "wire/wire.hpp"

namespace neph::load {

/// Sends one request and waits for its end; what it does wrong, all would. `deadline_s` 0: none. Errors:
/// those of the connection and of encoding, and the server's own. Well where `stop` ends the wait.
Status ask_once(const wire::Endpoint& endpoint, const wire::ClientOptions& options,
                const wire::InferRequest& request, double deadline_s, const Clock& clock,
                const std::stop_token& stop);

}  // namespace neph::load
