#include "wire/http/listener.hpp"

#include "wire/http/connection.hpp"

namespace neph::wire {
namespace {

class Listener final : public HttpListener {
 public:
  Listener(Service& service, const HttpOptions& options, const Clock& clock)
      : options_(options), connections_("http", service, options_, clock) {}

  Status listen() {
    NEPH_TRY(auto tls, tls_context(options_.tls));
    return connections_.start(std::move(tls));
  }
  std::uint16_t port() const override { return connections_.port(); }
  std::int64_t connections() const override { return connections_.connections(); }
  void stop(Moment until) override { connections_.stop(until); }

 private:
  const HttpOptions options_;
  TcpListener<HttpConnection, HttpOptions> connections_;
};

}  // namespace

Result<std::unique_ptr<HttpListener>> HttpListener::start(Service& service, const HttpOptions& options,
                                                          const Clock& clock) {
  auto listener = std::make_unique<Listener>(service, options, clock);
  NEPH_CHECK(listener->listen());
  return listener;
}

}  // namespace neph::wire
