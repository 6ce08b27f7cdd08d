#include "wire/grpc/listener.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <mutex>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <inference.grpc.pb.h>

#include "wire/grpc/codec.hpp"
#include "wire/grpc/health.hpp"
#include "wire/grpc/metadata.hpp"
#include "wire/grpc/status.hpp"
#include "wire/secret.hpp"
#include "wire/timing.hpp"

namespace neph::wire {
namespace {

using Context = grpc::CallbackServerContext;
using Request = inference::ModelInferRequest;
using Response = inference::ModelInferResponse;

/// Things that are made once and used again. Threads: any.
template <class T>
class Pool {
 public:
  std::unique_ptr<T> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return nullptr;
    auto thing = std::move(free_.back());
    free_.pop_back();
    return thing;
  }
  void give_back(std::unique_ptr<T> thing) {
    const std::scoped_lock lock(mutex_);
    if (free_.size() < most_) free_.push_back(std::move(thing));
  }

 private:
  static constexpr std::size_t most_ = 64;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

/// A call's request and response. A repeated field that is cleared keeps its strings' memory: so the next
/// large tensor finds its room ready, instead of pages that the system must map and clear first.
class Messages final : public grpc::MessageHolder<Request, Response> {
 public:
  explicit Messages(Pool<Messages>& pool) : pool_(pool) {
    set_request(&own_request_);
    set_response(&own_response_);
  }
  void Release() override {
    std::unique_ptr<Messages> self(this);
    held_bytes_ += own_request_.ByteSizeLong() + own_response_.ByteSizeLong();
    if (held_bytes_ > most_held_bytes) return;
    own_request_.Clear();
    own_response_.Clear();
    pool_.give_back(std::move(self));
  }

 private:
  /// Cleared strings stay allocated, and nobody can ask a message for all of them: what it ever held is an
  /// upper bound. A message of pictures is renewed about every 25th time, which costs nothing beside the
  /// pictures.
  static constexpr std::size_t most_held_bytes = std::size_t{16} << 20;
  std::size_t held_bytes_ = 0;
  Pool<Messages>& pool_;
  Request own_request_;
  Response own_response_;
};

class Allocator final : public grpc::MessageAllocator<Request, Response> {
 public:
  grpc::MessageHolder<Request, Response>* AllocateMessages() override {
    auto messages = pool_.take();
    return messages ? messages.release() : new Messages(pool_);
  }

 private:
  Pool<Messages> pool_;
};

/// One inference: an exchange that is used again, with a reactor that is not (the library does not allow it).
class GrpcExchange final : public Exchange {
 public:
  explicit GrpcExchange(Pool<GrpcExchange>& pool) : pool_(pool) {}

  grpc::ServerUnaryReactor* begin(Context& context, Response& response) {
    context_ = &context;
    response_ = &response;
    return &reactor_.emplace(*this);
  }

  void finish(Status status) override {
    if (status) write_message(reply, *response_);
    if (lease != nullptr) std::exchange(lease, nullptr)->written(*this);  // the message has a copy
    timing_.clear();
    append_timing(stages, timing_);
    if (!timing_.empty()) context_->AddTrailingMetadata("server-timing", timing_);
    if (!status && status.error().code == ErrorCode::unavailable)
      context_->AddTrailingMetadata(
          "grpc-retry-pushback-ms",
          std::to_string(std::chrono::ceil<std::chrono::milliseconds>(retry_after).count()));
    reactor_->Finish(grpc_status(status));
  }

 private:
  struct Reactor final : grpc::ServerUnaryReactor {
    explicit Reactor(GrpcExchange& exchange) : exchange_(exchange) {}
    void OnCancel() override { exchange_.abandoned_.store(true, std::memory_order_relaxed); }
    void OnDone() override { exchange_.end(); }
    GrpcExchange& exchange_;
  };

  void end() {
    reactor_.reset();
    request.clear();
    reply.clear();
    stages = {};
    retry_after = usual_retry;
    deadline.reset();
    abandoned_.store(false, std::memory_order_relaxed);
    pool_.give_back(std::unique_ptr<GrpcExchange>(this));
  }

  Pool<GrpcExchange>& pool_;
  Context* context_ = nullptr;
  Response* response_ = nullptr;
  std::optional<Reactor> reactor_;
  std::string timing_;
};

std::string_view view(grpc::string_ref text) { return {text.data(), text.size()}; }

class Calls final : public inference::GRPCInferenceService::CallbackService {
 public:
  Calls(wire::Service& service, const GrpcOptions& options, const Clock& clock)
      : service_(service), options_(options), clock_(clock) {
    SetMessageAllocatorFor_ModelInfer(&allocator_);
  }
  void end_slow_calls() { slow_.join(); }

  grpc::ServerUnaryReactor* ModelInfer(Context* context, const Request* from, Response* to) override {
    auto pooled = exchanges_.take();
    auto* exchange = pooled ? pooled.release() : new GrpcExchange(exchanges_);
    auto* reactor = exchange->begin(*context, *to);
    exchange->received = clock_.now();
    if (!is_authorised(*context)) {
      reactor->Finish(unauthorised());
    } else if (const auto status = read_message(*from, exchange->request); !status) {
      reactor->Finish(grpc_status(status));
    } else {
      exchange->deadline = deadline_of(*context, exchange->request, exchange->received);
      service_.infer(*exchange);
    }
    return reactor;
  }

  grpc::ServerUnaryReactor* ServerLive(Context* context, const inference::ServerLiveRequest*,
                                       inference::ServerLiveResponse* to) override {
    to->set_live(service_.live());
    return done(*context, {});
  }
  grpc::ServerUnaryReactor* ServerReady(Context* context, const inference::ServerReadyRequest*,
                                        inference::ServerReadyResponse* to) override {
    to->set_ready(service_.ready());
    return done(*context, {});
  }
  grpc::ServerUnaryReactor* ModelReady(Context* context, const inference::ModelReadyRequest* from,
                                       inference::ModelReadyResponse* to) override {
    return answer(*context, [&]() -> Status {
      NEPH_TRY(const bool ready, service_.model_ready(from->name(), from->version()));
      to->set_ready(ready);
      return {};
    });
  }
  grpc::ServerUnaryReactor* ServerMetadata(Context* context, const inference::ServerMetadataRequest*,
                                           inference::ServerMetadataResponse* to) override {
    return answer(*context, [&]() -> Status {
      write_message(service_.metadata(), *to);
      return {};
    });
  }
  grpc::ServerUnaryReactor* ModelMetadata(Context* context, const inference::ModelMetadataRequest* from,
                                          inference::ModelMetadataResponse* to) override {
    return answer(*context,
                  [&] { return write(service_.model_metadata(from->name(), from->version()), *to); });
  }
  grpc::ServerUnaryReactor* ModelConfig(Context* context, const inference::ModelConfigRequest* from,
                                        inference::ModelConfigResponse* to) override {
    return answer(*context, [&] { return write(service_.model_config(from->name(), from->version()), *to); });
  }
  grpc::ServerUnaryReactor* ModelStatistics(Context* context, const inference::ModelStatisticsRequest* from,
                                            inference::ModelStatisticsResponse* to) override {
    return answer(*context, [&] { return write(service_.statistics(from->name(), from->version()), *to); });
  }
  grpc::ServerUnaryReactor* RepositoryIndex(Context* context, const inference::RepositoryIndexRequest* from,
                                            inference::RepositoryIndexResponse* to) override {
    return answer(*context, [&]() -> Status {
      write_message(service_.repository(from->ready()), *to);
      return {};
    });
  }
  grpc::ServerUnaryReactor* RepositoryModelLoad(Context* context,
                                                const inference::RepositoryModelLoadRequest* from,
                                                inference::RepositoryModelLoadResponse*) override {
    return answer_slowly(*context, [this, name = from->model_name()] { return service_.load(name); });
  }
  grpc::ServerUnaryReactor* RepositoryModelUnload(Context* context,
                                                  const inference::RepositoryModelUnloadRequest* from,
                                                  inference::RepositoryModelUnloadResponse*) override {
    return answer_slowly(*context, [this, name = from->model_name()] { return service_.unload(name); });
  }
  grpc::ServerUnaryReactor* SystemSharedMemoryStatus(
      Context* context, const inference::SystemSharedMemoryStatusRequest* from,
      inference::SystemSharedMemoryStatusResponse* to) override {
    return answer(*context, [&] { return write(service_.shared_regions(from->name()), *to); });
  }
  grpc::ServerUnaryReactor* SystemSharedMemoryRegister(
      Context* context, const inference::SystemSharedMemoryRegisterRequest* from,
      inference::SystemSharedMemoryRegisterResponse*) override {
    return answer(*context, [&] {
      return service_.register_region({from->name(), from->key(), from->offset(), from->byte_size()});
    });
  }
  grpc::ServerUnaryReactor* SystemSharedMemoryUnregister(
      Context* context, const inference::SystemSharedMemoryUnregisterRequest* from,
      inference::SystemSharedMemoryUnregisterResponse*) override {
    return answer(*context, [&] { return service_.unregister_region(from->name()); });
  }

 private:
  static grpc::ServerUnaryReactor* done(Context& context, const grpc::Status& status) {
    auto* reactor = context.DefaultReactor();
    reactor->Finish(status);
    return reactor;
  }

  static grpc::Status unauthorised() {
    return {grpc::StatusCode::UNAUTHENTICATED, "a bearer token is wanted"};
  }

  bool is_authorised(const Context& context) const {
    if (options_.bearer_token.empty()) return true;
    const auto given = context.client_metadata().find("authorization");
    return given != context.client_metadata().end() &&
           same_secret(view(given->second), "Bearer " + options_.bearer_token);
  }

  template <class From, class To>
  static Status write(const Result<From>& from, To& to) {
    if (!from) return tl::unexpected(from.error());
    write_message(*from, to);
    return {};
  }

  template <class Answer>
  grpc::ServerUnaryReactor* answer(Context& context, Answer&& fill) {
    return done(context, is_authorised(context) ? grpc_status(fill()) : unauthorised());
  }

  /// On a thread of its own: the library's serve all calls.
  template <class Answer>
  grpc::ServerUnaryReactor* answer_slowly(Context& context, Answer work) {
    if (!is_authorised(context)) return done(context, unauthorised());
    auto* reactor = context.DefaultReactor();
    boost::asio::post(slow_, [reactor, work] { reactor->Finish(grpc_status(work())); });
    return reactor;
  }

  /// The earlier of the call's own and the request's parameter `timeout` (microseconds).
  static std::optional<Moment> deadline_of(const Context& context, const InferRequest& request,
                                           Moment received) {
    std::optional<Moment> deadline;
    if (const auto until = context.deadline(); until != std::chrono::system_clock::time_point::max())
      deadline = received + std::chrono::duration_cast<Nanoseconds>(until - std::chrono::system_clock::now());
    if (const auto asked = deadline_after(received, find_integer(request.parameters, "timeout")))
      deadline = deadline ? std::min(*deadline, *asked) : *asked;
    return deadline;
  }

  wire::Service& service_;
  const GrpcOptions& options_;
  const Clock& clock_;
  Allocator allocator_;
  Pool<GrpcExchange> exchanges_;
  boost::asio::thread_pool slow_{1};
};

class Listener final : public GrpcListener {
 public:
  Listener(Service& service, const GrpcOptions& options, const Clock& clock)
      : options_(options), clock_(clock), calls_(service, options_, clock), health_(service) {}
  ~Listener() override { stop(clock_.now()); }

  Status listen() {
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
    builder.AddListeningPort(fmt::format("{}:{}", address, options_.port), grpc::InsecureServerCredentials(),
                             &port);
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
