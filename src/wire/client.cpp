#include "wire/client.hpp"

#include "wire/grpc_client.hpp"
#include "wire/http_client.hpp"

namespace neph::wire {

Result<std::unique_ptr<Client>> Client::connect(const Endpoint& endpoint, const ClientOptions& options,
                                                const Clock& clock, Ended ended) {
  return endpoint.protocol == Protocol::http ? connect_http(endpoint, options, clock, std::move(ended))
                                             : connect_grpc(endpoint, options, clock, std::move(ended));
}

}  // namespace neph::wire
