#include "wire/client.hpp"

#include "wire/grpc_plugin.hpp"
#include "wire/http_client.hpp"

namespace neph::wire {

Result<std::unique_ptr<Client>> Client::connect(const Endpoint& endpoint, const ClientOptions& options,
                                                const Clock& clock, Ended ended) {
  if (endpoint.protocol == Protocol::http) return connect_http(endpoint, options, clock, std::move(ended));
  NEPH_TRY(const auto plugin, load_grpc());
  return plugin->connect(endpoint, options, clock, std::move(ended));
}

}  // namespace neph::wire
