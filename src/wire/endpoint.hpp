// Where a server is: "http://127.0.0.1:8000", "grpc://node2:8001"; https:// and grpcs:// mean TLS.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::wire {

enum class Protocol { http, grpc };
constexpr auto enum_names(Protocol) {
  return std::array{Named{Protocol::http, "http"}, Named{Protocol::grpc, "grpc"}};
}

struct Endpoint {
  Protocol protocol = Protocol::http;
  std::string host;
  std::uint16_t port = 0;
  bool secure = false;  ///< TLS

  /// As it is written; an IPv6 address in brackets.
  std::string text() const;
  /// HOST:PORT.
  std::string address() const;
};

/// Without a port it is the usual one, 8000 for HTTP and 8001 for gRPC, with TLS too; HOST:PORT alone is of
/// HTTP. Errors: invalid_argument.
Result<Endpoint> parse_endpoint(std::string_view text);

/// Whether it is on this machine, by its address; what listens there shares the processor with its clients.
bool is_loopback(const Endpoint& endpoint);

}  // namespace neph::wire
