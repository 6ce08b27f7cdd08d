// A port of this machine, for whoever takes connections.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>

#include "core/result.hpp"

namespace neph::wire {

/// Has the acceptor listen. Port 0: any free one. Errors: unavailable (the port is taken, no permission),
/// invalid_argument (no address of this machine).
Status listen_on(const std::string& address, std::uint16_t port, boost::asio::ip::tcp::acceptor& acceptor);

}  // namespace neph::wire
