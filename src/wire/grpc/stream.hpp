// ModelStreamInfer: many inferences on one stream, answered in the order in which they were asked; an error
// is of one answer (error_message), not of the stream.
#pragma once

#include <mutex>
#include <string>
#include <unordered_set>

#include <grpcpp/grpcpp.h>
#include <inference.pb.h>

#include "wire/grpc/reply_watch.hpp"
#include "wire/service.hpp"

namespace neph::wire {

class InferStream;

/// The streams that are open. Threads: any.
class InferStreams {
 public:
  using Reactor = grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>;

  InferStreams(Service& service, const Clock& clock, ReplyWatch& replies)
      : service_(service), clock_(clock), replies_(replies) {}

  /// A stream that lives until its client has gone, or has said and been told everything.
  Reactor* open(const grpc::CallbackServerContext& context);
  /// Takes no more requests: each stream ends behind its last answer.
  void wind_down();

 private:
  friend class InferStream;
  Service& service_;
  const Clock& clock_;
  ReplyWatch& replies_;
  std::mutex mutex_;
  std::unordered_set<InferStream*> open_;
  bool stopping_ = false;
};

}  // namespace neph::wire
