#include <future>

#include "core/text.hpp"
#include "os/file.hpp"
#include "serve/models.hpp"
#include "serve/serve.hpp"
#include "serve/service.hpp"

namespace neph::serve {
namespace {

constexpr std::int64_t no_port = -1;

class RunningServer final : public Server {
 public:
  RunningServer(const ModelOptions& model, const ServerOptions& options, const std::string& version,
                const Clock& clock)
      : options_(options),
        clock_(clock),
        regions_(options.shared_memory, static_cast<std::uint64_t>(options.max_body_bytes)),
        models_(model, regions_, clock),
        service_(models_, regions_, version) {}
  ~RunningServer() override { stop_until(clock_.now()); }

  Status start(const Source& source) {
    NEPH_CHECK(models_.find(source.path, source.name));
    models_.try_by(source.trial, options_.load_limit);
    NEPH_CHECK(read_token());
    NEPH_CHECK(listen());
    auto loaded = models_.load_all();
    return models_.list(true).empty() ? loaded : Status{};
  }

  Ports ports() const override {
    return {.http = http_ ? http_->port() : std::uint16_t{0},
            .grpc = grpc_ ? grpc_->port() : std::uint16_t{0},
            .metrics = metrics_ ? metrics_->port() : std::uint16_t{0}};
  }

  std::map<std::string, Facts> facts() const override {
    std::map<std::string, Facts> all;
    models_.each_ready(
        [&](const Deployment& deployment) { all[deployment.name().name] = deployment.facts(); });
    return all;
  }

  std::map<std::string, std::vector<std::string>> notes() const override {
    std::map<std::string, std::vector<std::string>> all;
    models_.each_ready([&](const Deployment& deployment) {
      if (!deployment.notes().empty()) all[deployment.name().name] = deployment.notes();
    });
    return all;
  }

  std::map<std::string, std::string> failures() const override { return models_.failures(); }

  bool stop() override { return stop_until(clock_.now() + from_seconds(options_.stop_limit.value)); }

 private:
  Status read_token() {
    if (options_.token_file.empty()) return {};
    NEPH_TRY(const auto text, read_file(options_.token_file));
    token_ = trimmed(text);
    if (token_.empty())
      return fail(ErrorCode::invalid_argument, "{} is empty; it should hold the bearer token",
                  options_.token_file);
    return {};
  }

  Status listen() {
    if (options_.http_port == no_port && options_.grpc_port == no_port)
      return fail(ErrorCode::invalid_argument,
                  "a server without a port for requests; give it --http-port or --grpc-port");
    if (options_.http_port != no_port) {
      NEPH_TRY(http_, start_http(options_.http_port, options_.http_threads, false));
    }
    if (options_.metrics_port != no_port) {
      NEPH_TRY(metrics_, start_http(options_.metrics_port, 1, true));
    }
    if (options_.grpc_port == no_port) return {};
    const wire::GrpcOptions grpc{.address = options_.listen,
                                 .port = static_cast<std::uint16_t>(options_.grpc_port),
                                 .threads = options_.http_threads,
                                 .max_message_bytes = static_cast<std::uint64_t>(options_.max_body_bytes),
                                 .bearer_token = token_,
                                 .tls = options_.tls};
    NEPH_TRY(grpc_, wire::GrpcListener::start(service_, grpc, clock_));
    return {};
  }

  Result<std::unique_ptr<wire::HttpListener>> start_http(std::int64_t port, std::int64_t threads,
                                                         bool only_metrics) {
    const wire::HttpOptions http{.address = options_.listen,
                                 .port = static_cast<std::uint16_t>(port),
                                 .threads = threads,
                                 .max_body_bytes = static_cast<std::uint64_t>(options_.max_body_bytes),
                                 .bearer_token = token_,
                                 .tls = options_.tls,
                                 .only_metrics = only_metrics};
    return wire::HttpListener::start(service_, http, clock_);
  }

  /// The transports take nothing new and wait for what they have read to be answered; when the time is over,
  /// what still waits in a queue is refused, so that they can end.
  bool stop_until(Moment until) {
    models_.stop_loading();
    const auto stop = [&](auto& listener) {
      return std::async([&] {  // on this thread, at wait(), where no other can be started
        if (listener) listener->stop(until);
      });
    };
    const auto http = stop(http_);
    const auto grpc = stop(grpc_);
    http.wait_until(until);
    grpc.wait_until(until);
    const bool all = models_.stop(until);
    http.wait();
    grpc.wait();
    http_.reset();
    grpc_.reset();
    metrics_.reset();
    return all;
  }

  const ServerOptions options_;
  const Clock& clock_;
  std::string token_;
  Regions regions_;
  Models models_;
  InferenceService service_;
  std::unique_ptr<wire::HttpListener> http_, metrics_;
  std::unique_ptr<wire::GrpcListener> grpc_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const Source& source, const ModelOptions& model,
                                              const ServerOptions& options, const std::string& version,
                                              const Clock& clock) {
  auto server = std::make_unique<RunningServer>(model, options, version, clock);
  NEPH_CHECK(server->start(source));
  return server;
}

}  // namespace neph::serve
