#include "wire/grpc/listener.hpp"

#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>

#include "wire/grpc/acceptor.hpp"
#include "wire/grpc/arrival.hpp"
#include "wire/grpc/calls.hpp"
#include "wire/grpc/health.hpp"

namespace neph::wire {
namespace {

constexpr int most_calls = 1024;      // of one connection at a time
constexpr int frame_bytes = 1 << 20;  // that may come at once: a large tensor in 16 KiB frames takes longer

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
      : options_(options),
        clock_(clock),
        replies_(options.patience_s, clock),
        calls_(service, options_, clock, replies_),
        health_(service, replies_) {}
  ~Listener() override { stop(clock_.now()); }

  Status listen() {
    NEPH_TRY(const auto credentials, credentials_of(options_.tls));
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    gpr_set_log_function([](gpr_log_func_args*) {});  // its errors come back as ours, and only cli talks
    NEPH_CHECK(acceptor_.listen(options_.address, options_.port));
    port_ = acceptor_.port();
    grpc::ServerBuilder builder;
    limit(builder);
    builder.SetContextAllocator(std::make_unique<ArrivedContexts>(clock_));
    auto connections = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
    builder.RegisterService(&calls_);
    builder.RegisterService(&health_);
    server_ = builder.BuildAndStart();
    if (!server_) return fail(ErrorCode::unavailable, "gRPC's library did not start a server");
    acceptor_.run(std::move(connections));
    return {};
  }

  std::uint16_t port() const override { return port_; }

  void stop(Moment until) override {
    if (!server_) return;
    acceptor_.stop();
    health_.stop();
    calls_.wind_down();
    server_->Shutdown(std::chrono::system_clock::now() + (until - clock_.now()));
    calls_.end_slow_calls();
    server_->Wait();
    server_.reset();
  }

 private:
  /// What one connection may take, and for how long.
  void limit(grpc::ServerBuilder& builder) const {
    const auto patience_ms = static_cast<int>(options_.patience_s * 1000);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, patience_ms);  // to the first settings
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, patience_ms);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, most_calls);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, frame_bytes);
    builder.SetMaxReceiveMessageSize(
        static_cast<int>(std::min<std::uint64_t>(options_.max_message_bytes, INT32_MAX)));
    builder.SetMaxSendMessageSize(-1);
  }

  const GrpcOptions options_;
  const Clock& clock_;
  ReplyWatch replies_;
  Calls calls_;
  Health health_;
  std::unique_ptr<grpc::Server> server_;
  Acceptor acceptor_;
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
