// `neph worker`: one run in a process of its own, which reads its order from standard input
// (record/order.hpp) and writes events as lines (record/event.hpp).
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/interrupts.hpp"
#include "cli/verbs.hpp"
#include "core/json.hpp"
#include "core/lines.hpp"
#include "host/host.hpp"
#include "os/clock_name.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"
#include "record/order.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

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
    const auto line = encode_event(event) + '\n';
    std::fwrite(line.data(), 1, line.size(), lines_);  // a controller that is gone is heard of elsewhere
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

/// How long a worker may take to end once its controller is gone, which would have killed it by now.
constexpr unsigned longest_end_s = 10;

/// What the controller writes to standard input (record/order.hpp). Signals by which others end processes
/// mean "stop" too, so that a run ends in order and leaves no half-written file. Made before any other
/// thread, because threads inherit which signals are blocked.
class Control {
 public:
  Control() {
    sigset_t signals;
    sigemptyset(&signals);
    for (int signal = 1; signal < NSIG; ++signal)
      if (asks_to_end(signal) && !(signal == SIGHUP && is_ignored(signal)))  // nohup
        sigaddset(&signals, signal);
    std::signal(SIGPIPE, SIG_IGN);  // a run whose controller is gone ends in order too
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    signals_ = Descriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
  }

  /// Waits for the order, and hears the other lines from then on. Errors: there is none.
  Result<std::string> order() {
    while (!order_ && !stop_.stop_requested()) hear();
    if (!order_)
      return fail(ErrorCode::invalid_argument, "no order on standard input; neph itself starts workers");
    const auto go_on = [this](const std::stop_token& over) {
      const std::stop_callback wake(over, [this] { ::eventfd_write(over_.get(), 1); });
      while (!over.stop_requested()) hear();
    };
    NEPH_TRY(thread_, start_thread("control", go_on, end_process));
    return *order_;
  }
  std::stop_token stop() const { return stop_.get_token(); }
  /// By which it was stopped; 0: none.
  int signal() const { return signal_; }
  std::stop_token finish() const { return finish_.get_token(); }

 private:
  void hear() {
    std::array<pollfd, 3> all{pollfd{input_, POLLIN, 0}, pollfd{signals_.get(), POLLIN, 0},
                              pollfd{over_.get(), POLLIN, 0}};
    if (::poll(all.data(), all.size(), -1) <= 0) return;
    signalfd_siginfo taken;
    if (all[1].revents != 0 && ::read(signals_.get(), &taken, sizeof taken) > 0) {
      signal_ = static_cast<int>(taken.ssi_signo);
      take(order::stop);
      end_soon();
    }
    if (all[0].revents != 0) read();
  }

  void read() {
    const auto line = [this](std::string_view said) { take(said); };
    const auto got = ::read(input_, piece_.data(), piece_.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got > 0) return lines_.add({piece_.data(), static_cast<std::size_t>(got)}, line);
    input_ = -1;
    lines_.finish(line);
    take(order::stop);  // the controller is gone
    end_soon();
  }

  /// A run that does not heed the word to stop, in a library for instance, must not outlive its controller:
  /// where that is another machine or a container, no kernel ends us. Ended as by SIGTERM, with the code that
  /// a container's first process has then, which no signal ends.
  static void end_soon() {
    std::signal(SIGALRM, [](int) {
      sigset_t none;
      sigemptyset(&none);
      std::signal(SIGTERM, SIG_DFL);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      std::raise(SIGTERM);
      std::_Exit(128 + SIGTERM);
    });
    ::alarm(longest_end_s);
  }

  void take(std::string_view line) {
    if (line == order::stop)
      stop_.request_stop();
    else if (line == order::finish)
      finish_.request_stop();
    else if (!order_)
      order_ = line;
  }

  std::atomic<int> signal_{0};
  int input_ = STDIN_FILENO;
  Descriptor signals_;
  Descriptor over_{::eventfd(0, EFD_CLOEXEC)};
  std::array<char, 65536> piece_;
  Lines lines_{std::size_t{1} << 30};
  std::optional<std::string> order_;
  std::stop_source stop_, finish_;
  std::jthread thread_;
};

/// Tells what machine this is. What that takes is no part of the run: its second 0 is so much later.
Moment introduce(Moment origin, const Clock& clock, EventSink& events) {
  const auto begin = clock.now();
  auto machine = to_json(host::take_fingerprint());
  origin += clock.now() - begin;
  events.emit(Began{std::move(machine), seconds(origin.time_since_epoch())});
  return origin;
}

Result<RunResult> run(const Order& order, const Clock& clock, EventSink& events, const Control& control) {
  NEPH_TRY(const auto* workload, workload::find_workload(order.workload));
  if (order.spec.is_array()) {
    const std::vector<Json> specs(order.spec.begin(), order.spec.end());
    return workload::as_result(workload->prepare(specs, events));
  }
  const auto second_0 = introduce(origin(order, clock), clock, events);
  auto result = workload->run(order.spec, {.clock = clock,
                                           .origin = second_0,
                                           .events = events,
                                           .stop = control.stop(),
                                           .finish = control.finish()});
  events.emit(Ended{seconds(clock.now().time_since_epoch())});
  return result;
}

/// Of the run that was asked for.
bool is_part(const RunResult& result) {
  return std::ranges::count(result.warnings, WarningCode::stopped_early, &Warning::code) > 0;
}

Status work() {
  Control control;
  const SteadyClock clock;
  LineSink events;
  auto outcome = guarded([&]() -> Result<RunResult> {
    NEPH_TRY(const auto said, control.order());
    NEPH_TRY(const Json json, parse_json(said, "standard input"));
    NEPH_TRY(const auto order, from_json<Order>(json, "order"));
    return run(order, clock, events, control);
  });
  if (control.signal() != 0 && (!outcome || is_part(*outcome))) {
    const auto name = name_of_signal(control.signal());
    outcome = tl::unexpected(Error{ErrorCode::unavailable, "stopped by " + name, {}, name});
  }
  events.emit(outcome ? Event(*outcome) : Event(outcome.error()));
  if (outcome) return {};
  return fail(outcome.error().code, "{}", already_reported);
}

}  // namespace

void declare_worker(Command& command) { command.action(work); }

}  // namespace neph::cli
