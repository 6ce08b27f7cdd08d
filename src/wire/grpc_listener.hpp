// The gRPC side of an inference server: GRPCInferenceService and grpc.health.v1, with reflection for tools
// that come without the .proto file.
//
// What it does not do: know models, queues or engines; it calls a Service.
// Threads: `threads` of its own, named "grpc-0", "grpc-1", ...; a connection belongs to one of them. Two more
// unpack and decode what would hold up the other connections, one does TLS handshakes, one loads and unloads
// models. Requests are read in place and replies written around their tensors: none is copied in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "wire/service.hpp"
#include "wire/tls.hpp"

namespace neph::wire {

struct GrpcOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8001;  ///< 0: any free one
  std::int64_t threads = 2;
  /// Of a request, also with what it is unpacked or decoded to.
  std::uint64_t max_message_bytes = std::uint64_t{1} << 30;
  std::int64_t max_connections = 20'000;  ///< when reached, the one idle for longest is closed for a new one
  double patience_s = 60;  ///< for a connection without a call, and for a reply beside a second per megabyte
  std::string bearer_token;  ///< if not empty, calls without it are refused, but for health
  TlsServer tls;             ///< its certificate empty: in the clear
};

class GrpcListener {
 public:
  /// Listens when it returns. `service` and `clock` outlive it. Errors: unavailable (the port is taken, no
  /// permission), invalid_argument (no address of this machine), those of read_tls.
  static Result<std::unique_ptr<GrpcListener>> start(Service& service, const GrpcOptions& options,
                                                     const Clock& clock);
  /// Like stop(now).
  virtual ~GrpcListener() = default;

  virtual std::uint16_t port() const = 0;
  /// Takes no new call, and answers those that have been taken; what is left at `until` is cancelled. Returns
  /// when the service has finished that too.
  virtual void stop(Moment until) = 0;
};

}  // namespace neph::wire
