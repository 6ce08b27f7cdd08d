#include <algorithm>
#include <cerrno>
#include <cmath>

#include <sys/ioctl.h>

#include "core/text.hpp"
#include "launch/answer.hpp"
#include "launch/launch.hpp"
#include "record/order.hpp"

namespace neph::launch {
namespace {

constexpr std::size_t longest_error_line = 4096;
constexpr std::size_t longest_tail = 300;
constexpr std::size_t descriptors = 4;  // of a child: input, output, errors, its end
constexpr auto asking_interval = std::chrono::milliseconds(50);

/// A child that no longer reads must not kill this process with SIGPIPE.
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

int milliseconds_until(std::optional<Moment> moment) {
  if (!moment) return -1;
  const double ms = std::ceil(seconds(*moment - SteadyClock().now()) * 1e3);
  return static_cast<int>(std::clamp(ms, 0.0, 1e9));
}

/// docker and its like end what they have to say with where to read more: "Run 'docker run --help' for more",
/// and before version 23 "See 'docker run --help'.".
bool points_to_help(std::string_view line) {
  return (line.starts_with("Run '") || line.starts_with("See '")) && line.find("--help'") != line.npos;
}

}  // namespace

Child::Child(Process process, std::size_t max_line_bytes)
    : process_(std::move(process)),
      lines_(max_line_bytes),
      error_lines_(longest_error_line),
      piece_(std::size_t{1} << 18) {}

void Child::say(std::string_view line) {
  if (process_.input.is_open()) unsaid_.append(line).append("\n");
}

void Child::stop(double grace_s) {
  if (std::exchange(is_asked_to_end_, true)) return;
  say(order::stop);
  kill_at_ = SteadyClock().now() + from_seconds(grace_s);
}

void Child::end(double grace_s) {
  stop(grace_s);
  for (Child* const self = this; !exit_;) wait({&self, 1});
}

void Child::wait(std::span<Child* const> children, std::optional<Moment> until, int other) {
  std::vector<pollfd> watched;
  for (const auto* child : children) child->watch(watched, until);
  watched.push_back({other, POLLIN, 0});
  if (::poll(watched.data(), watched.size(), milliseconds_until(until)) < 0)
    for (auto& each : watched) each.revents = 0;  // EINTR
  for (std::size_t i = 0; i < children.size(); ++i) children[i]->hear(&watched[i * descriptors]);
}

void Child::watch(std::vector<pollfd>& watched, std::optional<Moment>& until) const {
  const int input = unsaid_.empty() ? -1 : process_.input.get();
  watched.insert(watched.end(), {{input, POLLOUT, 0},
                                 {process_.output.get(), POLLIN, 0},
                                 {process_.errors.get(), POLLIN, 0},
                                 {process_.ended_descriptor(), POLLIN, 0}});
  const auto sooner = [&](Moment moment) { until = std::min(until.value_or(moment), moment); };
  if (kill_at_) sooner(*kill_at_);
  if (process_.ended_descriptor() < 0) sooner(SteadyClock().now() + asking_interval);
}

void Child::hear(const pollfd* watched) {
  if (watched[0].revents) write();
  if (watched[1].revents) read(process_.output);
  if (watched[2].revents) read(process_.errors);
  if (exit_) return;
  if (const auto exit = process_.exit()) return end_with(*exit);
  if (!kill_at_ || SteadyClock().now() < *kill_at_) return;
  kill_at_.reset();
  is_killed_ = true;
  kill();
}

void Child::end_with(const Exit& exit) {
  kill_at_.reset();
  has_ended(exit);
  exit_ = exit;
  read_what_stands(process_.output);
  read_what_stands(process_.errors);
}

void Child::write() {
  const WithoutBrokenPipe guard;
  const auto wrote = ::write(process_.input.get(), unsaid_.data() + said_, unsaid_.size() - said_);
  if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) return;
  said_ += static_cast<std::size_t>(std::max<ssize_t>(0, wrote));
  if (wrote > 0 && said_ < unsaid_.size()) return;
  unsaid_.clear();
  said_ = 0;
  if (wrote <= 0 || is_asked_to_end_) process_.input.close();
}

/// One piece; closes the pipe at its end.
std::size_t Child::read(Descriptor& pipe) {
  const bool is_output = &pipe == &process_.output;
  auto& lines = is_output ? lines_ : error_lines_;
  const auto see = [&](std::string_view line) {
    if (!is_output) return hear_error_line(line);
    if (on_line) on_line(line);
  };
  const auto got = ::read(pipe.get(), piece_.data(), piece_.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (got > 0) {
    lines.add({piece_.data(), static_cast<std::size_t>(got)}, see);
    return static_cast<std::size_t>(got);
  }
  pipe.close();
  lines.finish(see);
  return 0;
}

/// What stood in the pipe when the child ended, and no more: something that left its group may still hold it
/// open and go on writing.
void Child::read_what_stands(Descriptor& pipe) {
  int standing = 0;
  if (!pipe.is_open() || ::ioctl(pipe.get(), FIONREAD, &standing) != 0) return;
  for (auto left = static_cast<std::size_t>(standing); left > 0 && pipe.is_open();)
    left -= std::min(left, std::max<std::size_t>(read(pipe), 1));
  if (!pipe.is_open()) return;
  pipe.close();
  read(pipe);  // what stands without a line feed at the end
}

void Child::hear_error_line(std::string_view line) {
  if (on_error_line) on_error_line(line);
  if (trimmed(line).empty() || points_to_help(line)) return;
  stderr_tail_ = printable(trimmed(line).substr(0, longest_tail));
}

Result<int> Child::id() const {
  if (process_.id() < 0) return fail(ErrorCode::unavailable, "the process has ended");
  return process_.id();
}

std::string Child::how_it_ended() const {
  const int signal = signal_of(*exit_);
  if (signal == SIGKILL && is_killed_) return "did not end when asked to and was killed";
  return neph::how_it_ended({.code = exit_->code, .signal = signal});
}

Result<std::string> answer_of(const std::vector<std::string>& command, double limit_s,
                              Complaints complaints) {
  NEPH_TRY(auto process, Process::start(command));
  Child child(std::move(process), longest_error_line);
  std::string answer;
  child.on_line = [&](std::string_view line) {
    if (answer.empty()) answer = line;
  };
  child.end(limit_s);
  const auto& said = child.stderr_tail();
  const bool is_well = child.exit()->signal == 0 && child.exit()->code == 0;
  if (is_well && !answer.empty() && (said.empty() || complaints == Complaints::ignored)) return answer;
  if (said.starts_with(command.front())) return fail(ErrorCode::unavailable, "{}", said);  // names itself
  return fail(ErrorCode::unavailable, "{}: {}", command.front(), said.empty() ? child.how_it_ended() : said);
}

}  // namespace neph::launch
