#include <string_view>

#include <openssl/ssl.h>

#include "wire/grpc_listener.hpp"
#include "wire/http2/connection.hpp"

namespace neph::wire {
namespace {

/// gRPC wants HTTP/2 agreed upon in the handshake (ALPN, RFC 7301); a client that offers nothing is served.
int choose_http2(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                 unsigned int offered_size, void*) {
  static constexpr unsigned char http2[] = {2, 'h', '2'};
  auto* out = const_cast<unsigned char*>(*chosen);
  const auto found = SSL_select_next_proto(&out, size, http2, sizeof http2, offered, offered_size);
  *chosen = out;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

class Listener final : public GrpcListener {
 public:
  Listener(Service& service, const GrpcOptions& options, const Clock& clock)
      : options_(options), connections_("grpc", service, options_, clock) {}

  Status listen() {
    NEPH_TRY(auto tls, tls_context(options_.tls));
    if (tls) SSL_CTX_set_alpn_select_cb(tls->native_handle(), choose_http2, nullptr);
    return connections_.start(std::move(tls));
  }
  std::uint16_t port() const override { return connections_.port(); }
  void stop(Moment until) override { connections_.stop(until); }

 private:
  const GrpcOptions options_;
  TcpListener<GrpcConnection, GrpcOptions> connections_;
};

}  // namespace

Result<std::unique_ptr<GrpcListener>> GrpcListener::start(Service& service, const GrpcOptions& options,
                                                          const Clock& clock) {
  return guarded([&]() -> Result<std::unique_ptr<GrpcListener>> {
    auto listener = std::make_unique<Listener>(service, options, clock);
    NEPH_CHECK(listener->listen());
    return listener;
  });
}

}  // namespace neph::wire
