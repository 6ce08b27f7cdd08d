// gRPC as a plugin of this module: its library is 59 shared objects, which only those who speak gRPC should
// load. wire/grpc/ implements it; Client::connect loads it for an endpoint of gRPC.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "wire/client.hpp"

namespace neph::wire {

/// Threads: any. What it made does not need it any more.
class GrpcPlugin {
 public:
  virtual ~GrpcPlugin() = default;
  /// As Client::connect, for an endpoint of gRPC.
  virtual Result<std::unique_ptr<Client>> connect(const Endpoint& endpoint, const ClientOptions& options,
                                                  const Clock& clock, Client::Ended ended) = 0;
};

/// Beside the program, and ../lib/neph of it.
std::vector<std::filesystem::path> grpc_folders();

/// Loads neph-wire-grpc.so from the first folder that has it. Errors: not_found (names the folders),
/// unsupported (it cannot be loaded here, with the loader's reason).
Result<std::unique_ptr<GrpcPlugin>> load_grpc(
    const std::vector<std::filesystem::path>& folders = grpc_folders());

}  // namespace neph::wire

/// The one symbol that the plugin exports. The number in its name changes whenever a header that both sides
/// of it use does, so that a stale plugin is refused by name instead of crashing.
#define NEPH_GRPC_SYMBOL "neph_make_grpc_4"
#define NEPH_EXPORT_GRPC(Type)                                                                     \
  extern "C" __attribute__((visibility("default"))) ::neph::wire::GrpcPlugin* neph_make_grpc_4() { \
    return new Type();                                                                             \
  }
