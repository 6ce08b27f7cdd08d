// The request of an engine that has no threads of its own: those of its session's streams do the work.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/engine.hpp"
#include "engine/streams.hpp"

namespace neph::engine {

/// Inferences side by side where the caller leaves it open: for throughput one for each four threads, and two
/// where there are two, since parts of most networks use one thread only. On a GPU two, of which one copies
/// while the other computes.
inline std::int64_t streams_for(const Options& options, std::int64_t threads, bool is_on_gpu) {
  if (options.streams > 0) return options.streams;
  if (options.hint == Hint::latency) return 1;
  return is_on_gpu ? 2 : std::max(std::min<std::int64_t>(threads, 2), threads / 4);
}

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
  /// Errors: invalid_argument: an input, or an output that is not open, has no memory.
  Status check_bound() const {
    bool bound = std::ranges::find(inputs_, nullptr) == inputs_.end();
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      bound = bound && (outputs_[i] != nullptr || output_ports_[i].is_open());
    if (bound) return {};
    return fail(ErrorCode::invalid_argument, "an input or output has no memory; bind all of them first");
  }
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
