// A server of known service times behind wire's client interface, on a ManualClock: requests wait in one line
// for one worker.
#pragma once

#include <deque>
#include <functional>

#include "wire/wire.hpp"

namespace neph::load {

class FakeClient final : public wire::Client {
 public:
  FakeClient(ManualClock& clock, Ended ended) : clock_(clock), ended_(std::move(ended)), free_(clock.now()) {}

  /// Of the nth request, from 0; the service takes so long.
  std::function<Nanoseconds(std::int64_t)> service = [](std::int64_t) {
    return std::chrono::milliseconds(10);
  };
  /// What becomes of it.
  std::function<Status(std::int64_t)> outcome = [](std::int64_t) { return Status(); };
  /// Not before: the server is away until then.
  Moment stalled_until{};
  std::int64_t sent = 0;
  std::size_t most_in_flight = 0;

  Result<std::unique_ptr<wire::Outgoing>> encode(const wire::InferRequest&) const override {
    return std::make_unique<wire::Outgoing>();
  }
  void send(wire::Call& call) override {
    call.sent = clock_.now();
    call.first_byte.reset();
    free_ = std::max({free_, clock_.now(), stalled_until}) + service(sent);
    line_.push_back({&call, free_, outcome(sent++)});
    most_in_flight = std::max(most_in_flight, line_.size());
  }
  void run_until(Moment moment, const std::function<bool()>& enough) override {
    while (!enough() && clock_.now() < moment) {
      if (line_.empty() || line_.front().at > moment) {
        clock_.sleep_until(moment);
        return;
      }
      clock_.sleep_until(line_.front().at);
      end(line_.front().outcome);
    }
  }
  void wake() override {}
  std::int64_t stray = 0;
  std::int64_t stray_replies(Nanoseconds wait) override {
    clock_.sleep_until(clock_.now() + wait);
    return stray;
  }
  Result<std::string> get(const std::string&) override {
    return fail(ErrorCode::unsupported, "no pages here");
  }
  /// What there is to decode in a reply.
  std::function<Status(wire::InferReply&)> content = [](wire::InferReply&) { return Status(); };
  Status decode(const wire::Call&, wire::InferReply& reply) const override { return content(reply); }
  void abort() override {
    while (!line_.empty()) end(fail(ErrorCode::unavailable, "given up"));
  }
  Result<wire::ModelMetadata> model_metadata(const std::string&) override { return wire::ModelMetadata{}; }
  Result<std::int64_t> max_batch_size(const std::string&) override { return 0; }

 private:
  struct Waiting {
    wire::Call* call;
    Moment at;
    Status outcome;
  };
  void end(Status became) {
    auto& call = *line_.front().call;
    line_.pop_front();
    call.done = clock_.now();
    call.outcome = std::move(became);
    ended_(call);
  }

  ManualClock& clock_;
  Ended ended_;
  Moment free_;
  std::deque<Waiting> line_;
};

}  // namespace neph::load
