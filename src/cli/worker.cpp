#include "cli/worker.hpp"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "core/json.hpp"
#include "experiment/experiment.hpp"
#include "host/host.hpp"
#include "os/clock_name.hpp"
#include "os/thread.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

/// What the controller writes to a worker's standard input.
struct Order {
  std::string workload;
  Json spec;
  std::optional<double> started_s;
  std::string clock;
};

template <class Visit, Describes<Order> Self>
void describe(Visit&& v, Self& s) {
  v("workload", s.workload, "what to do");
  v("spec", s.spec, "its description");
  v("started_s", s.started_s, "CLOCK_MONOTONIC when the controller started this process; empty: unknown");
  v("clock", s.clock, "which one that is (os/clock_name.hpp); empty: unknown");
}

/// Events as lines on the standard output that the process was started with, each flushed, because the
/// controller waits for them. Whatever a library prints goes to standard error from here on: a stray line
/// would break the protocol.
class LineSink final : public EventSink {
 public:
  LineSink() : lines_(::fdopen(::dup(STDOUT_FILENO), "w")) { ::dup2(STDERR_FILENO, STDOUT_FILENO); }
  ~LineSink() override { std::fclose(lines_); }
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;

  void emit(const Event& event) override {
    fmt::print(lines_, "{}\n", encode_event(event));
    std::fflush(lines_);
  }

 private:
  std::FILE* lines_;
};

/// Second 0 of the run: when the controller started us, where it told by the very clock that we read; or else
/// when the kernel did, to 10 ms. A controller on another host has another clock.
Moment origin(const Order& order, const Clock& clock) {
  const bool same_clock = !order.clock.empty() && order.clock == monotonic_clock_name();
  const auto given = order.started_s && same_clock ? Moment(from_seconds(*order.started_s)) : Moment::max();
  if (given <= clock.now() && clock.now() - given < std::chrono::minutes(1)) return given;
  const auto started = host::process_start();
  return started ? *started : clock.now();
}

/// SIGTERM asks the run to stop, so that it ends in order and leaves no half-written file; the finish signal
/// asks it to begin nothing more. Made before any other thread, because threads inherit which signals are
/// blocked.
class HeedSignals {
 public:
  HeedSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, experiment::finish_signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waiting_ = start_thread("signals", [this](const std::stop_token& stop) {
      constexpr timespec tick{.tv_sec = 0, .tv_nsec = 100'000'000};
      while (!stop.stop_requested()) {
        const int heard = ::sigtimedwait(&signals_, nullptr, &tick);
        if (heard == SIGTERM) stop_.request_stop();
        if (heard == experiment::finish_signal) finish_.request_stop();
      }
    });
  }
  std::stop_token stop() const { return stop_.get_token(); }
  std::stop_token finish() const { return finish_.get_token(); }

 private:
  sigset_t signals_{};
  std::stop_source stop_, finish_;
  std::jthread waiting_;
};

/// Tells what machine this is. What that takes is no part of the run: its second 0 is so much later.
Moment introduce(Moment origin, const Clock& clock, EventSink& events) {
  const auto begin = clock.now();
  auto machine = to_json(host::take_fingerprint());
  origin += clock.now() - begin;
  events.emit(Began{std::move(machine), seconds(origin.time_since_epoch())});
  return origin;
}

Result<RunResult> run(const Order& order, const Clock& clock, EventSink& events, const HeedSignals& signals) {
  NEPH_TRY(const auto* workload, workload::find_workload(order.workload));
  const auto second_0 = introduce(origin(order, clock), clock, events);
  auto result = workload->run(order.spec, {.clock = clock,
                                           .origin = second_0,
                                           .events = events,
                                           .stop = signals.stop(),
                                           .finish = signals.finish()});
  events.emit(Ended{seconds(clock.now().time_since_epoch())});
  return result;
}

}  // namespace

std::vector<std::string> worker_command() { return {"/proc/self/exe", "worker"}; }

Status work() {
  const HeedSignals signals;
  const SteadyClock clock;
  LineSink events;
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  const auto outcome = [&]() -> Result<RunResult> {
    NEPH_TRY(const Json json, parse_json(input, "standard input"));
    NEPH_TRY(const auto order, from_json<Order>(json, "order"));
    return run(order, clock, events, signals);
  }();
  events.emit(outcome ? Event(*outcome) : Event(outcome.error()));
  if (outcome) return {};
  return fail(outcome.error().code, "{}", told_already);
}

}  // namespace neph::cli
