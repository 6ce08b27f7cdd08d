// One inference of a unary call, with its messages; used again from call to call.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/message_allocator.h>
#include <inference.pb.h>

#include "wire/grpc/reply_watch.hpp"
#include "wire/service.hpp"

namespace neph::wire {

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

/// A unary call with its messages, which the library asks for before the call and gives back behind it. A
/// repeated field that is cleared keeps its strings' memory: so the next large tensor finds its room ready,
/// instead of pages that the system must map and clear first.
///
/// It answers through the context's own reactor: one of ours would cost a thread switch a call, as the
/// library tells it of the end on another thread.
class GrpcExchange final
    : public Exchange,
      public grpc::MessageHolder<inference::ModelInferRequest, inference::ModelInferResponse> {
 public:
  using Exchange::request;  // not the message holder's
  GrpcExchange(Pool<GrpcExchange>& pool, ReplyWatch& replies);

  grpc::ServerUnaryReactor* begin(grpc::CallbackServerContext& context);
  void finish(Status status) override;
  /// Also for what is no inference. The exchange may have gone when it returns.
  void end(const grpc::Status& status);
  bool abandoned() const override { return context_->IsCancelled(); }

  void Release() override;

 private:
  Pool<GrpcExchange>& pool_;
  ReplyWatch::Slot writing_;
  grpc::CallbackServerContext* context_ = nullptr;
  grpc::ServerUnaryReactor* reactor_ =
      nullptr;  ///< the context's, which makes a new one when it is asked again
  std::string timing_;
  std::size_t held_bytes_ = 0;
  inference::ModelInferRequest own_request_;
  inference::ModelInferResponse own_response_;
};

class Allocator final
    : public grpc::MessageAllocator<inference::ModelInferRequest, inference::ModelInferResponse> {
 public:
  explicit Allocator(ReplyWatch& replies) : replies_(replies) {}
  GrpcExchange* AllocateMessages() override {
    auto exchange = pool_.take();
    return exchange ? exchange.release() : new GrpcExchange(pool_, replies_);
  }

 private:
  ReplyWatch& replies_;
  Pool<GrpcExchange> pool_;
};

/// The earlier of the call's own deadline and the request's parameter `timeout` (microseconds).
std::optional<Moment> deadline_of(const grpc::CallbackServerContext& context, const InferRequest& request,
                                  Moment received);

}  // namespace neph::wire
