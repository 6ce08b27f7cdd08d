// grpc.health.v1: says what Service::ready() and model_ready() say, for the server (no name, or the
// inference service's) and for each model by its name.
#pragma once

#include <atomic>
#include <string>

#include <health.grpc.pb.h>

#include "wire/grpc/reply_watch.hpp"
#include "wire/service.hpp"

namespace neph::wire {

class Health final : public grpc::health::v1::Health::CallbackService {
 public:
  using State = grpc::health::v1::HealthCheckResponse::ServingStatus;

  Health(const wire::Service& service, ReplyWatch& replies) : service_(service), replies_(replies) {}

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::health::v1::HealthCheckRequest* from,
                                  grpc::health::v1::HealthCheckResponse* to) override;
  /// Says each change within a fifth of a second.
  grpc::ServerWriteReactor<grpc::health::v1::HealthCheckResponse>* Watch(
      grpc::CallbackServerContext* context, const grpc::health::v1::HealthCheckRequest* from) override;

  State state_of(const std::string& name) const;
  /// Ends those who watch, within a fifth of a second: a server that stops would wait for them.
  void stop() { stopping_ = true; }
  bool stopping() const { return stopping_; }

 private:
  const wire::Service& service_;
  ReplyWatch& replies_;
  std::atomic<bool> stopping_{false};
};

}  // namespace neph::wire
