// GRPCInferenceService: each call of it asks the Service, as each REST request does.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <string>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <grpcpp/grpcpp.h>
#include <inference.grpc.pb.h>

#include "wire/constant_time_compare.hpp"
#include "wire/grpc/arrival.hpp"
#include "wire/grpc/codec.hpp"
#include "wire/grpc/exchange.hpp"
#include "wire/grpc/metadata.hpp"
#include "wire/grpc/status.hpp"
#include "wire/grpc/stream.hpp"
#include "wire/grpc_listener.hpp"

namespace neph::wire {

inline std::string_view view(grpc::string_ref text) { return {text.data(), text.size()}; }

/// A stream that ends before it has begun.
struct Refusal final : InferStreams::Reactor {
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

class Calls final : public inference::GRPCInferenceService::CallbackService {
 public:
  Calls(wire::Service& service, const GrpcOptions& options, const Clock& clock, ReplyWatch& replies)
      : service_(service),
        options_(options),
        clock_(clock),
        replies_(replies),
        allocator_(replies),
        streams_(service, clock, replies) {
    SetMessageAllocatorFor_ModelInfer(&allocator_);
  }
  void wind_down() { streams_.wind_down(); }
  void end_slow_calls() { slow_.join(); }

  grpc::ServerUnaryReactor* ModelInfer(grpc::CallbackServerContext* context,
                                       const inference::ModelInferRequest* from,
                                       inference::ModelInferResponse*) override {
    auto* exchange = static_cast<GrpcExchange*>(context->GetRpcAllocatorState());
    auto* reactor = exchange->begin(*context);
    exchange->arrived = static_cast<ArrivedContext*>(context)->arrived();
    exchange->received = clock_.now();
    if (!is_authorised(*context)) {
      exchange->end(unauthorised());
    } else if (const auto status = read_message(*from, exchange->request); !status) {
      exchange->end(grpc_status(status));
    } else {
      exchange->deadline = deadline_of(*context, exchange->request, exchange->received);
      service_.infer(*exchange);
    }
    return reactor;
  }

  InferStreams::Reactor* ModelStreamInfer(grpc::CallbackServerContext* context) override {
    return is_authorised(*context) ? streams_.open(*context) : new Refusal(unauthorised());
  }

  grpc::ServerUnaryReactor* ServerLive(grpc::CallbackServerContext* context,
                                       const inference::ServerLiveRequest*,
                                       inference::ServerLiveResponse* to) override {
    to->set_live(service_.live());
    return done(*context, {});
  }
  grpc::ServerUnaryReactor* ServerReady(grpc::CallbackServerContext* context,
                                        const inference::ServerReadyRequest*,
                                        inference::ServerReadyResponse* to) override {
    to->set_ready(service_.ready());
    return done(*context, {});
  }
  grpc::ServerUnaryReactor* ModelReady(grpc::CallbackServerContext* context,
                                       const inference::ModelReadyRequest* from,
                                       inference::ModelReadyResponse* to) override {
    return answer(*context, [&]() -> Status {
      const auto ready = service_.model_ready(from->name(), from->version());
      to->set_ready(ready && *ready);  // a model that is not there is not ready: Triton's clients count on it
      return {};
    });
  }
  grpc::ServerUnaryReactor* ServerMetadata(grpc::CallbackServerContext* context,
                                           const inference::ServerMetadataRequest*,
                                           inference::ServerMetadataResponse* to) override {
    return answer(*context, [&]() -> Status {
      write_message(service_.metadata(), *to);
      return {};
    });
  }
  grpc::ServerUnaryReactor* ModelMetadata(grpc::CallbackServerContext* context,
                                          const inference::ModelMetadataRequest* from,
                                          inference::ModelMetadataResponse* to) override {
    return answer(*context,
                  [&] { return write(service_.model_metadata(from->name(), from->version()), *to); });
  }
  grpc::ServerUnaryReactor* ModelConfig(grpc::CallbackServerContext* context,
                                        const inference::ModelConfigRequest* from,
                                        inference::ModelConfigResponse* to) override {
    return answer(*context, [&] { return write(service_.model_config(from->name(), from->version()), *to); });
  }
  grpc::ServerUnaryReactor* ModelStatistics(grpc::CallbackServerContext* context,
                                            const inference::ModelStatisticsRequest* from,
                                            inference::ModelStatisticsResponse* to) override {
    return answer(*context, [&] { return write(service_.statistics(from->name(), from->version()), *to); });
  }
  grpc::ServerUnaryReactor* RepositoryIndex(grpc::CallbackServerContext* context,
                                            const inference::RepositoryIndexRequest* from,
                                            inference::RepositoryIndexResponse* to) override {
    return answer(*context, [&]() -> Status {
      write_message(service_.repository(from->ready()), *to);
      return {};
    });
  }
  grpc::ServerUnaryReactor* RepositoryModelLoad(grpc::CallbackServerContext* context,
                                                const inference::RepositoryModelLoadRequest* from,
                                                inference::RepositoryModelLoadResponse*) override {
    if (!from->parameters().empty())
      return answer(*context, [&]() -> Status {
        return tl::unexpected(no_parameter_of_load(from->parameters().begin()->first));
      });
    return answer_slowly(*context, [this, name = from->model_name()] { return service_.load(name); });
  }
  grpc::ServerUnaryReactor* RepositoryModelUnload(grpc::CallbackServerContext* context,
                                                  const inference::RepositoryModelUnloadRequest* from,
                                                  inference::RepositoryModelUnloadResponse*) override {
    return answer_slowly(*context, [this, name = from->model_name()] { return service_.unload(name); });
  }
  grpc::ServerUnaryReactor* SystemSharedMemoryStatus(
      grpc::CallbackServerContext* context, const inference::SystemSharedMemoryStatusRequest* from,
      inference::SystemSharedMemoryStatusResponse* to) override {
    return answer(*context, [&] { return write(service_.shared_regions(from->name()), *to); });
  }
  grpc::ServerUnaryReactor* SystemSharedMemoryRegister(
      grpc::CallbackServerContext* context, const inference::SystemSharedMemoryRegisterRequest* from,
      inference::SystemSharedMemoryRegisterResponse*) override {
    return answer(*context, [&] {
      return service_.register_region({from->name(), from->key(), from->offset(), from->byte_size()});
    });
  }
  grpc::ServerUnaryReactor* SystemSharedMemoryUnregister(
      grpc::CallbackServerContext* context, const inference::SystemSharedMemoryUnregisterRequest* from,
      inference::SystemSharedMemoryUnregisterResponse*) override {
    return answer(*context, [&] { return service_.unregister_region(from->name()); });
  }

 private:
  grpc::ServerUnaryReactor* done(grpc::CallbackServerContext& context, const grpc::Status& status) {
    auto* reply = new WatchedReply(replies_, context);
    reply->end(status);
    return reply;
  }

  static grpc::Status unauthorised() {
    return {grpc::StatusCode::UNAUTHENTICATED, "a bearer token is wanted"};
  }

  bool is_authorised(const grpc::CallbackServerContext& context) const {
    if (options_.bearer_token.empty()) return true;
    const auto given = context.client_metadata().find("authorization");
    return given != context.client_metadata().end() &&
           constant_time_equal(view(given->second), "Bearer " + options_.bearer_token);
  }

  template <class From, class To>
  static Status write(const Result<From>& from, To& to) {
    if (!from) return tl::unexpected(from.error());
    write_message(*from, to);
    return {};
  }

  template <class Answer>
  grpc::ServerUnaryReactor* answer(grpc::CallbackServerContext& context, Answer&& fill) {
    return done(context, is_authorised(context) ? grpc_status(fill()) : unauthorised());
  }

  /// On a thread of its own: the library's serve all calls.
  template <class Answer>
  grpc::ServerUnaryReactor* answer_slowly(grpc::CallbackServerContext& context, Answer work) {
    if (!is_authorised(context)) return done(context, unauthorised());
    auto* reply = new WatchedReply(replies_, context);
    boost::asio::post(slow_, [reply, work] { reply->end(grpc_status(work())); });
    return reply;
  }

  wire::Service& service_;
  const GrpcOptions& options_;
  const Clock& clock_;
  ReplyWatch& replies_;
  Allocator allocator_;
  InferStreams streams_;
  boost::asio::thread_pool slow_{1};
};

}  // namespace neph::wire
