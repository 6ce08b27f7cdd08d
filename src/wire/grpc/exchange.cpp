#include "wire/grpc/exchange.hpp"

#include <utility>

#include "wire/grpc/codec.hpp"
#include "wire/grpc/status.hpp"
#include "wire/timing.hpp"

namespace neph::wire {
namespace {

/// Cleared strings stay allocated, and nobody can ask a message for all of them: what it ever held is an
/// upper bound. A message of pictures is renewed about every 25th time, which costs nothing beside the
/// pictures.
constexpr std::size_t most_held_bytes = std::size_t{16} << 20;

}  // namespace

GrpcExchange::GrpcExchange(Pool<GrpcExchange>& pool, ReplyWatch& replies) : pool_(pool), writing_(replies) {
  set_request(&own_request_);
  set_response(&own_response_);
}

grpc::ServerUnaryReactor* GrpcExchange::begin(grpc::CallbackServerContext& context) {
  context_ = &context;
  reactor_ = context.DefaultReactor();
  return reactor_;
}

void GrpcExchange::finish(Status status) {
  if (status) write_message(reply, own_response_);
  if (lease != nullptr) std::exchange(lease, nullptr)->written(*this);  // the message has a copy
  timing_.clear();
  append_timing(stages, timing_);
  if (!timing_.empty()) context_->AddTrailingMetadata("server-timing", timing_);
  if (!status && status.error().code == ErrorCode::unavailable)
    context_->AddTrailingMetadata(
        "grpc-retry-pushback-ms",
        std::to_string(std::chrono::ceil<std::chrono::milliseconds>(retry_after).count()));
  end(grpc_status(status));
}

void GrpcExchange::end(const grpc::Status& status) {
  writing_.begin(*context_, raw_bytes(own_response_));
  reactor_->Finish(status);
}

void GrpcExchange::Release() {
  std::unique_ptr<GrpcExchange> self(this);
  writing_.end();
  held_bytes_ += own_request_.ByteSizeLong() + own_response_.ByteSizeLong();
  if (held_bytes_ > most_held_bytes) return;
  own_request_.Clear();
  own_response_.Clear();
  request.clear();
  reply.clear();
  stages = {};
  retry_after = usual_retry;
  deadline.reset();
  pool_.give_back(std::move(self));
}

std::optional<Moment> deadline_of(const grpc::CallbackServerContext& context, const InferRequest& request,
                                  Moment received) {
  std::optional<Moment> deadline;
  if (const auto until = context.deadline(); until != std::chrono::system_clock::time_point::max())
    deadline = received + std::chrono::duration_cast<Nanoseconds>(until - std::chrono::system_clock::now());
  if (const auto asked = deadline_after(received, find_integer(request.parameters, "timeout")))
    deadline = deadline ? std::min(*deadline, *asked) : *asked;
  return deadline;
}

}  // namespace neph::wire
