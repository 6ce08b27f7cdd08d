// The request of an engine that has no threads of its own: those of its session's streams do the work.
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "engine/streams.hpp"

namespace neph::engine {

/// Has the memory that was bound, and lets nothing touch it while an inference is in flight. What an
/// inference does is work() of the engine's own class, which calls wait() in its destructor.
class StreamedRequest : public Request, protected Job {
 public:
  StreamedRequest(const StreamedRequest&) = delete;
  StreamedRequest& operator=(const StreamedRequest&) = delete;

  Status bind_input(std::size_t port, void* data, std::size_t bytes) override {
    return bind("input", input_ports_, inputs_, port, data, bytes);
  }
  Status bind_output(std::size_t port, void* data, std::size_t bytes) override {
    return bind("output", output_ports_, outputs_, port, data, bytes);
  }
  Status infer() override {
    NEPH_CHECK(check_idle());
    return work();
  }
  Status start(std::function<void(Status)> done) override {
    if (!streams_.start(*this, std::move(done))) return still_in_flight();
    return {};
  }

 protected:
  /// What it is given must outlive it.
  StreamedRequest(Streams& streams, const std::vector<Port>& inputs, const std::vector<Port>& outputs)
      : inputs_(inputs.size()),
        outputs_(outputs.size()),
        streams_(streams),
        input_ports_(inputs),
        output_ports_(outputs) {}

  Status check_idle() const { return in_flight() ? Status(still_in_flight()) : Status{}; }
  /// Until nothing that was started goes on.
  void wait() { streams_.wait_for(*this); }

  std::vector<void*> inputs_, outputs_;  ///< null: not bound yet

 private:
  Status bind(const char* kind, const std::vector<Port>& ports, std::vector<void*>& memory, std::size_t port,
              void* data, std::size_t bytes) {
    NEPH_CHECK(check_idle());
    NEPH_CHECK(check_binding(kind, ports, port, data, bytes));
    memory[port] = data;
    return {};
  }

  Streams& streams_;
  const std::vector<Port>& input_ports_;
  const std::vector<Port>& output_ports_;
};

}  // namespace neph::engine
