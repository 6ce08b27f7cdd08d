// What the plugin exports: a client of gRPC.
#include "wire/grpc/client.hpp"
#include "wire/grpc_plugin.hpp"

namespace neph::wire {
namespace {

class Plugin final : public GrpcPlugin {
 public:
  Result<std::unique_ptr<Client>> connect(const Endpoint& endpoint, const ClientOptions& options,
                                          const Clock& clock, Client::Ended ended) override {
    return connect_grpc(endpoint, options, clock, std::move(ended));
  }
};

}  // namespace
}  // namespace neph::wire

NEPH_EXPORT_GRPC(neph::wire::Plugin)
