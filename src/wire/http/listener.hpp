// The HTTP side of an inference server: REST of the Open Inference Protocol, and /metrics.
//
// What it does not do: know models, queues or engines; it asks a Service.
// Threads: `threads` of its own, named "http-0", "http-1", ...; a connection belongs to one of them, and a
// reply is written there, whichever thread finished it. Two more do what would hold up the other connections
// (large JSON, packed bodies, TLS handshakes), one loads and unloads models. Requests of one connection are
// answered one after the other. Cost: about 6 µs of processor time for a small request, 1.25 times what a
// bare Beast server takes; a connection that waits holds about 10 KB.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "wire/service.hpp"
#include "wire/tls.hpp"

namespace neph::wire {

/// A request's header: the later ones of its connection are timed from when the kernel had them, not from
/// when they were read, which takes a system call for each.
inline constexpr std::string_view note_arrivals_header = "Neph-Note-Arrivals";

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8000;  ///< 0: any free one
  std::int64_t threads = 2;
  /// Also of a packed one when unpacked, and together with the tensors that its JSON holds.
  std::uint64_t max_body_bytes = std::uint64_t{1} << 30;
  std::int64_t max_connections = 20'000;  ///< when reached, the one idle for longest is closed for a new one
  double patience_s = 60;     ///< for a request's header, and for a body beside a second per megabyte
  std::string bearer_token;   ///< if not empty, requests without it are refused, but for health
  TlsServer tls;              ///< its certificate empty: in the clear
  bool only_metrics = false;  ///< a port for those who watch: /metrics and health, and nothing else
};

class HttpListener {
 public:
  /// Listens when it returns. `service` and `clock` outlive it. Errors: unavailable (the port is taken, no
  /// permission), invalid_argument (no address of this machine), those of read_tls.
  static Result<std::unique_ptr<HttpListener>> start(Service& service, const HttpOptions& options,
                                                     const Clock& clock);
  /// Like stop(now).
  virtual ~HttpListener() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::int64_t connections() const = 0;
  /// Takes no new connection, answers the requests that have been read, and closes each connection behind its
  /// answer; what is left at `until` is cut off.
  virtual void stop(Moment until) = 0;
};

}  // namespace neph::wire
