// When a call arrived. Several threads of the library take calls, and one that loses its core between taking
// a call and handing it over is overtaken by all the others: who serves in order needs the moment before
// that. The library makes a call's context when it has the call's message, on the thread that reads the
// connection.
#pragma once

#include <grpcpp/grpcpp.h>

#include "core/clock.hpp"

namespace neph::wire {

class ArrivedContext final : public grpc::CallbackServerContext {
 public:
  explicit ArrivedContext(Moment arrived) : arrived_(arrived) {}
  Moment arrived() const { return arrived_; }

 private:
  const Moment arrived_;
};

/// Every context of its server's methods is an ArrivedContext. `clock` outlives the server.
class ArrivedContexts final : public grpc::ContextAllocator {
 public:
  explicit ArrivedContexts(const Clock& clock) : clock_(clock) {}
  grpc::CallbackServerContext* NewCallbackServerContext() override {
    return new ArrivedContext(clock_.now());
  }
  /// Also called for calls of methods that there are not, whose contexts are the library's own.
  void Release(grpc::CallbackServerContext* context) override {
    delete dynamic_cast<ArrivedContext*>(context);
  }

 private:
  const Clock& clock_;
};

}  // namespace neph::wire
