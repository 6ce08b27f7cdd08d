#include "wire/client.hpp"

#include <fmt/format.h>

#include "wire/grpc_plugin.hpp"
#include "wire/http/client.hpp"
#include "wire/spoken.hpp"

namespace neph::wire {
namespace {

constexpr Nanoseconds longest_question = std::chrono::seconds(1);

std::string_view words_of(const Endpoint& endpoint) {
  if (endpoint.protocol == Protocol::grpc) return endpoint.secure ? "gRPC with TLS" : "gRPC without TLS";
  return endpoint.secure ? "HTTP with TLS" : "HTTP without TLS";
}

/// The words of the system, of which each transport has its own wrapping, with what may be done about it.
Error with_advice(Error error, const Endpoint& endpoint) {
  if (error.message.find("Connection refused") != std::string::npos)
    return {error.code,
            fmt::format("{}: connection refused, nobody listens there; neph serve MODEL would, with HTTP on "
                        "port 8000 and gRPC on 8001 unless told otherwise",
                        endpoint.text())};
  if (error.code != ErrorCode::unavailable && error.code != ErrorCode::timeout &&
      error.code != ErrorCode::corrupt)
    return error;
  const auto spoken = spoken_at(endpoint, longest_question);
  if (!spoken || spoken->text() == endpoint.text()) return error;
  return {ErrorCode::invalid_argument, fmt::format("{}: that port speaks {}; its address is {}",
                                                   endpoint.text(), words_of(*spoken), spoken->text())};
}

Result<std::unique_ptr<Client>> connected(const Endpoint& endpoint, const ClientOptions& options,
                                          const Clock& clock, Client::Ended ended) {
  if (endpoint.protocol == Protocol::http) return connect_http(endpoint, options, clock, std::move(ended));
  NEPH_TRY(const auto plugin, load_grpc());
  return plugin->connect(endpoint, options, clock, std::move(ended));
}

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(const Endpoint& endpoint, const ClientOptions& options,
                                                const Clock& clock, Ended ended) {
  return connected(endpoint, options, clock, std::move(ended)).map_error([&](Error error) {
    return options.stop.stop_requested() ? error : with_advice(std::move(error), endpoint);
  });
}

}  // namespace neph::wire
