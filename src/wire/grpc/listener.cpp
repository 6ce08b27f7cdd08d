#include "wire/grpc/listener.hpp"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>

#include "wire/grpc/calls.hpp"
#include "wire/grpc/health.hpp"

namespace neph::wire {
namespace {

Result<std::shared_ptr<grpc::ServerCredentials>> credentials_of(const TlsServer& tls) {
  NEPH_TRY(auto texts, read_tls(tls));
  if (!texts.wanted()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(texts.ca.empty()
                                                ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                                : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = std::move(texts.ca);
  options.pem_key_cert_pairs.push_back({std::move(texts.key), std::move(texts.certificate)});
  return grpc::SslServerCredentials(options);
}

class Listener final : public GrpcListener {
 public:
  Listener(Service& service, const GrpcOptions& options, const Clock& clock)
      : options_(options), clock_(clock), calls_(service, options_, clock), health_(service) {}
  ~Listener() override { stop(clock_.now()); }

  Status listen() {
    NEPH_TRY(const auto credentials, credentials_of(options_.tls));
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    gpr_set_log_function([](gpr_log_func_args*) {});  // its errors come back as ours, and only cli talks
    const auto address =
        options_.address.find(':') == std::string::npos ? options_.address : "[" + options_.address + "]";
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT,
                               0);  // or a second server would share the port unseen
    builder.SetMaxReceiveMessageSize(
        static_cast<int>(std::min<std::uint64_t>(options_.max_message_bytes, INT32_MAX)));
    builder.SetMaxSendMessageSize(-1);
    builder.AddListeningPort(fmt::format("{}:{}", address, options_.port), credentials, &port);
    builder.RegisterService(&calls_);
    builder.RegisterService(&health_);
    server_ = builder.BuildAndStart();
    if (!server_ || port == 0)
      return fail(ErrorCode::unavailable,
                  "cannot listen on {}:{}: the port is taken, or the address is not this machine's", address,
                  options_.port);
    port_ = static_cast<std::uint16_t>(port);
    return {};
  }

  std::uint16_t port() const override { return port_; }

  void stop(Moment until) override {
    if (!server_) return;
    health_.stop();
    calls_.wind_down();
    server_->Shutdown(std::chrono::system_clock::now() + (until - clock_.now()));
    calls_.end_slow_calls();
    server_->Wait();
    server_.reset();
  }

 private:
  const GrpcOptions options_;
  const Clock& clock_;
  Calls calls_;
  Health health_;
  std::unique_ptr<grpc::Server> server_;
  std::uint16_t port_ = 0;
};

}  // namespace

Result<std::unique_ptr<GrpcListener>> listen_grpc(Service& service, const GrpcOptions& options,
                                                  const Clock& clock) {
  auto listener = std::make_unique<Listener>(service, options, clock);
  NEPH_CHECK(listener->listen());
  return listener;
}

}  // namespace neph::wire
