#include "wire/grpc/health.hpp"

#include <optional>

#include <grpcpp/alarm.h>

namespace neph::wire {
namespace {

using Request = grpc::health::v1::HealthCheckRequest;
using Response = grpc::health::v1::HealthCheckResponse;

constexpr auto interval = std::chrono::milliseconds(200);
constexpr std::string_view inference_service = "inference.GRPCInferenceService";

/// One who watches. A chain of one thing after another (look, write, look, wait, look): no two at a time.
class Watcher final : public grpc::ServerWriteReactor<Response> {
 public:
  Watcher(const Health& health, ReplyWatch& replies, const grpc::CallbackServerContext& context,
          std::string name)
      : health_(health), context_(context), name_(std::move(name)), writing_(replies) {
    look();
  }

  void OnWriteDone(bool written) override {
    writing_.end();
    written ? look() : Finish(grpc::Status::CANCELLED);
  }
  void OnCancel() override { gone_ = true; }
  void OnDone() override { delete this; }

 private:
  void look() {
    if (gone_ || health_.stopping()) return Finish(grpc::Status::CANCELLED);
    if (const auto state = health_.state_of(name_); state != said_) {
      said_ = state;
      response_.set_status(state);
      writing_.begin(context_, 0);
      return StartWrite(&response_);
    }
    alarm_.emplace();  // a new one: the old one may be what calls this
    alarm_->Set(std::chrono::system_clock::now() + interval, [this](bool) { look(); });
  }

  const Health& health_;
  const grpc::CallbackServerContext& context_;
  const std::string name_;
  ReplyWatch::Slot writing_;
  std::optional<Health::State> said_;
  Response response_;
  std::optional<grpc::Alarm> alarm_;
  std::atomic<bool> gone_{false};
};

}  // namespace

Health::State Health::state_of(const std::string& name) const {
  if (name.empty() || name == inference_service)
    return service_.ready() ? Response::SERVING : Response::NOT_SERVING;
  const auto ready = service_.model_ready(name, "");
  if (!ready && ready.error().code == ErrorCode::not_found) return Response::SERVICE_UNKNOWN;
  return ready && *ready ? Response::SERVING : Response::NOT_SERVING;
}

grpc::ServerUnaryReactor* Health::Check(grpc::CallbackServerContext* context, const Request* from,
                                        Response* to) {
  const auto state = state_of(from->service());
  to->set_status(state);
  auto* reply = new WatchedReply(replies_, *context);
  reply->end(state == Response::SERVICE_UNKNOWN
                 ? grpc::Status(grpc::StatusCode::NOT_FOUND, "no service or model of that name")
                 : grpc::Status::OK);
  return reply;
}

grpc::ServerWriteReactor<Response>* Health::Watch(grpc::CallbackServerContext* context, const Request* from) {
  return new Watcher(*this, replies_, *context, from->service());
}

}  // namespace neph::wire
