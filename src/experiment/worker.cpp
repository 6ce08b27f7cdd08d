#include "experiment/worker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

#include <poll.h>
#include <sys/ioctl.h>

#include "core/json.hpp"
#include "experiment/transcript.hpp"
#include "os/clock_name.hpp"
#include "os/process.hpp"

namespace neph::experiment {
namespace {

std::string request_line(const std::string& workload, const Cell& cell, Moment started) {
  const Json request = {{"workload", workload},
                        {"spec", cell.spec},
                        {"started_s", seconds(started.time_since_epoch())},
                        {"clock", monotonic_clock_name()}};
  return dump_json(request) + "\n";
}

/// A worker that ends before it has read its cell must not kill the controller with SIGPIPE.
class WithoutBrokenPipe {
 public:
  WithoutBrokenPipe() {
    ::sigemptyset(&only_);
    ::sigaddset(&only_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~WithoutBrokenPipe() {
    const timespec now{};
    if (!::sigismember(&before_, SIGPIPE)) ::sigtimedwait(&only_, nullptr, &now);  // takes the pending one
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutBrokenPipe(const WithoutBrokenPipe&) = delete;
  WithoutBrokenPipe& operator=(const WithoutBrokenPipe&) = delete;

 private:
  sigset_t only_;
  sigset_t before_;
};

/// Why the controller ends a worker.
enum class Stop { none, interrupted, timed_out, nonsense, lingering };

class Supervisor {
 public:
  Supervisor(Process process, std::string request, Moment started, const Launch& launch, Observer& observer,
             Interrupt& interrupt, const Clock& clock)
      : process_(std::move(process)),
        request_(std::move(request)),
        started_(started),
        launch_(launch),
        observer_(observer),
        interrupt_(interrupt),
        clock_(clock),
        transcript_(observer, launch.max_line_bytes),
        last_words_(observer) {}

  Made run() {
    while (!exit_) {
      decide();
      wait();
      exit_ = process_.exit();
    }
    hear_the_rest();
    return judge();
  }

 private:
  using Time = std::optional<Moment>;

  // ---- When to end it

  void decide() {
    const auto now = clock_.now();
    if (transcript_.complete() && !completed_) completed_ = now;
    if (interrupt_.level() > 0) ask_to_finish();
    if (stop_ == Stop::none) {
      if (interrupt_.level() >= 2)
        end(Stop::interrupted);
      else if (!transcript_.nonsense().empty())
        end(Stop::nonsense);
      else if (has_come(timeout_at()))
        end(Stop::timed_out);
      else if (has_come(linger_at()))
        end(Stop::lingering);
    } else if (has_come(kill_at())) {
      process_.signal_group(SIGKILL);
      killed_ = true;
    }
  }

  /// Again at each wake-up: a worker that only begins does not hear it yet.
  void ask_to_finish() {
    process_.signal_group(finish_signal);
    if (!std::exchange(asked_to_finish_, true) && interrupt_.level() == 1) observer_.finishing();
  }

  void end(Stop reason) {
    stop_ = reason;
    stopped_ = clock_.now();
    process_.signal_group(SIGTERM);
    process_.signal_group(SIGCONT);  // one that was halted would not hear it
  }

  bool has_come(Time time) const { return time && clock_.now() >= *time; }
  Time timeout_at() const {
    return launch_.timeout_s > 0 && !completed_ ? Time(started_ + from_seconds(launch_.timeout_s))
                                                : std::nullopt;
  }
  Time linger_at() const {
    return completed_ ? Time(*completed_ + from_seconds(launch_.exit_s)) : std::nullopt;
  }
  Time kill_at() const {
    return stopped_ && !killed_ ? Time(*stopped_ + from_seconds(launch_.grace_s)) : std::nullopt;
  }

  // ---- Waiting, reading, writing

  int wait_ms() const {
    Time next;
    for (const auto& time : {stop_ == Stop::none ? timeout_at() : std::nullopt,
                             stop_ == Stop::none ? linger_at() : std::nullopt, kill_at()})
      if (time && (!next || *time < *next)) next = time;
    double ms = next ? std::clamp(std::ceil(seconds(*next - clock_.now()) * 1e3), 0.0, 1e9) : -1;
    if (process_.ended_descriptor() < 0) ms = ms < 0 ? 50 : std::min(ms, 50.0);  // then the end is asked for
    return static_cast<int>(ms);
  }

  void wait() {
    std::array<pollfd, 5> watched{{{process_.input.get(), POLLOUT, 0},
                                   {process_.output.get(), POLLIN, 0},
                                   {process_.errors.get(), POLLIN, 0},
                                   {interrupt_.descriptor(), POLLIN, 0},
                                   {process_.ended_descriptor(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), wait_ms()) < 0) return;  // EINTR: decide again
    if (watched[0].revents) write_request();
    if (watched[1].revents) hear(process_.output, transcript_);
    if (watched[2].revents) hear(process_.errors, last_words_);
    if (watched[3].revents) interrupt_.clear();
  }

  void write_request() {
    const WithoutBrokenPipe guard;
    const auto written =
        ::write(process_.input.get(), request_.data() + written_, request_.size() - written_);
    if (written < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (written > 0) written_ += static_cast<std::size_t>(written);
    if (written <= 0 || written_ == request_.size()) process_.input.close();
  }

  /// One piece; closes the pipe at its end.
  template <class Listener>
  std::size_t hear(Descriptor& pipe, Listener& listener) {
    const auto got = ::read(pipe.get(), piece_.data(), piece_.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (got <= 0) {
      pipe.close();
      return 0;
    }
    listener.add(std::string_view(piece_.data(), static_cast<std::size_t>(got)));
    return static_cast<std::size_t>(got);
  }

  /// What stood in the pipes when the worker ended, and no more: something that left its group may still
  /// hold them open and go on writing.
  template <class Listener>
  void hear_what_stands(Descriptor& pipe, Listener& listener) {
    int standing = 0;
    if (!pipe.is_open() || ::ioctl(pipe.get(), FIONREAD, &standing) != 0) return;
    for (auto left = static_cast<std::size_t>(standing); left > 0 && pipe.is_open();) {
      const auto got = hear(pipe, listener);
      left -= std::min(left, std::max<std::size_t>(got, 1));
    }
  }

  void hear_the_rest() {
    hear_what_stands(process_.output, transcript_);
    hear_what_stands(process_.errors, last_words_);
    transcript_.finish();
    last_words_.finish();
  }

  // ---- Judging

  Made judge() {
    Run run{.ended = utc_now(), .wall_s = seconds(clock_.now() - started_)};
    run.reason = reason();
    if (!run.reason.empty())
      run.status = stop_ == Stop::interrupted ? RunStatus::interrupted : RunStatus::failed;
    run.result = transcript_.take_result();
    run.host_begin_s = transcript_.began_s();
    run.host_end_s = transcript_.ended_s();
    if (run.reason.empty() && (exit_->signal != 0 || exit_->code != 0))
      run.result.warnings.push_back(make_warning(
          WarningCode::worker_exit, fmt::format("after its result the worker {}", how_it_ended())));
    return {std::move(run), transcript_.take_machine()};
  }

  /// Empty: it ended well.
  std::string reason() const {
    if (!transcript_.nonsense().empty())
      return fmt::format("the worker's output is not events: {}", transcript_.nonsense());
    if (transcript_.has_result()) return {};
    if (stop_ == Stop::interrupted) return "stopped by the user";
    if (stop_ == Stop::timed_out)
      return fmt::format("took longer than --timeout-s {} and was stopped{}", launch_.timeout_s,
                         quoted_last_words());
    if (transcript_.error()) return transcript_.error()->message;
    return fmt::format("{} without a result{}", how_it_ended(), quoted_last_words());
  }

  std::string how_it_ended() const {
    if (stop_ == Stop::lingering)
      return fmt::format("did not end within {} s and was stopped", launch_.exit_s);
    if (exit_->signal == 0) return fmt::format("ended with exit code {}", exit_->code);
    const char* name = ::sigabbrev_np(exit_->signal);
    const auto hint = exit_->signal == SIGKILL ? " (out of memory? `dmesg` tells)" : "";
    return fmt::format("was killed by SIG{}{}", name ? name : "?", hint);
  }

  std::string quoted_last_words() const {
    return last_words_.text().empty() ? "" : fmt::format("; its last words: {}", last_words_.text());
  }

  Process process_;
  std::string request_;
  std::size_t written_ = 0;
  Moment started_;
  const Launch& launch_;
  Observer& observer_;
  Interrupt& interrupt_;
  const Clock& clock_;
  Transcript transcript_;
  LastWords last_words_;
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 18);
  Stop stop_ = Stop::none;
  Time stopped_;
  Time completed_;  ///< its last line was heard
  bool asked_to_finish_ = false;
  bool killed_ = false;
  std::optional<Exit> exit_;
};

}  // namespace

Result<Made> run_worker(const std::string& workload, const Cell& cell, const Launch& launch,
                        Observer& observer, Interrupt& interrupt, const Clock& clock) {
  const auto date = utc_now();
  const auto started = clock.now();
  NEPH_TRY(auto process, Process::start(launch.command));
  Supervisor supervisor(std::move(process), request_line(workload, cell, started), started, launch, observer,
                        interrupt, clock);
  auto made = supervisor.run();
  made.run.started = date;
  return made;
}

}  // namespace neph::experiment
