// One inference of a unary call, and its messages; all of them are used again from call to call.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/message_allocator.h>
#include <inference.pb.h>

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

/// A call's request and response. A repeated field that is cleared keeps its strings' memory: so the next
/// large tensor finds its room ready, instead of pages that the system must map and clear first.
class Messages final
    : public grpc::MessageHolder<inference::ModelInferRequest, inference::ModelInferResponse> {
 public:
  explicit Messages(Pool<Messages>& pool);
  void Release() override;

 private:
  Pool<Messages>& pool_;
  std::size_t held_bytes_ = 0;
  inference::ModelInferRequest own_request_;
  inference::ModelInferResponse own_response_;
};

class Allocator final
    : public grpc::MessageAllocator<inference::ModelInferRequest, inference::ModelInferResponse> {
 public:
  grpc::MessageHolder<inference::ModelInferRequest, inference::ModelInferResponse>* AllocateMessages()
      override {
    auto messages = pool_.take();
    return messages ? messages.release() : new Messages(pool_);
  }

 private:
  Pool<Messages> pool_;
};

/// An exchange that is used again, with a reactor that is not (the library does not allow it).
class GrpcExchange final : public Exchange {
 public:
  explicit GrpcExchange(Pool<GrpcExchange>& pool) : pool_(pool) {}

  grpc::ServerUnaryReactor* begin(grpc::CallbackServerContext& context,
                                  inference::ModelInferResponse& response);
  void finish(Status status) override;

 private:
  struct Reactor final : grpc::ServerUnaryReactor {
    explicit Reactor(GrpcExchange& exchange) : exchange_(exchange) {}
    void OnCancel() override { exchange_.abandoned_.store(true, std::memory_order_relaxed); }
    void OnDone() override { exchange_.end(); }
    GrpcExchange& exchange_;
  };
  void end();

  Pool<GrpcExchange>& pool_;
  grpc::CallbackServerContext* context_ = nullptr;
  inference::ModelInferResponse* response_ = nullptr;
  std::optional<Reactor> reactor_;
  std::string timing_;
};

/// The earlier of the call's own deadline and the request's parameter `timeout` (microseconds).
std::optional<Moment> deadline_of(const grpc::CallbackServerContext& context, const InferRequest& request,
                                  Moment received);

}  // namespace neph::wire
