#include "workload/command/hearing.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <span>
#include <tuple>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "os/cores.hpp"
#include "workload/woken.hpp"

namespace neph::workload::command {
namespace {

constexpr auto second = std::chrono::seconds(1);
constexpr auto grace = std::chrono::milliseconds(1000);  // a worker that has not ended after 2 s is killed
constexpr int asking_interval_ms = 50;                   // where the kernel tells of no child's end

/// This thread's, and so those of what it starts, for as long as this lives.
class Bound {
 public:
  explicit Bound(std::int64_t cores) {
    if (cores == 0) return;
    before_ = allowed_cores();
    std::ignore =
        bind_this_thread(std::span(before_).first(std::min(before_.size(), static_cast<std::size_t>(cores))));
  }
  ~Bound() {
    if (!before_.empty()) std::ignore = bind_this_thread(before_);
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  std::vector<std::size_t> before_;
};

}  // namespace

Status check_threads(std::int64_t threads) {
  if (const auto there = usable_cores(); threads > there)
    return fail(ErrorCode::unavailable, "--threads {}: a run here may use {}", threads,
                counted(there, "core"));
  return {};
}

Result<Hearing> Hearing::start(const Launched& what, const Descriptor& events) {
  NEPH_CHECK(check_threads(what.cores));
  const Bound bound(what.cores);
  NEPH_TRY(auto process, Process::start(what.words, what.surroundings));
  process.input.close();  // nobody types: what it reads is at its end
  return Hearing(std::move(process), events);
}

/// false: there is no more for now.
bool Hearing::read(const Descriptor& from, Lines& lines, const See& see) {
  const auto got = ::read(from.get(), piece_.data(), piece_.size());
  if (got <= 0) return got < 0 && errno == EINTR;
  lines.add({piece_.data(), static_cast<std::size_t>(got)}, see);
  return true;
}

void Hearing::hear_events() {
  while (read(*events_, told_, on_event)) {
  }
}

/// What stands in the pipe, and no more: something that outlives the command may go on writing.
void Hearing::read_all(Descriptor& from, Lines& lines, const See& see) {
  int standing = 0;
  if (from.is_open() && ::ioctl(from.get(), FIONREAD, &standing) == 0)
    for (std::size_t left = static_cast<std::size_t>(standing); left > 0;
         left -= std::min(left, piece_.size()))
      if (!read(from, lines, see)) break;
  from.close();
  lines.finish(see);
}

void Hearing::interrupt(const Clock& clock) {
  if (!is_interrupted_) {
    is_interrupted_ = true;
    kill_at_ = clock.now() + grace;
    process_.signal_group(SIGINT);
  } else if (kill_at_ && clock.now() >= *kill_at_) {
    kill_at_.reset();
    process_.signal_group(SIGKILL);
  }
}

void Hearing::hear(const Clock& clock, const std::stop_token& stop) {
  const Woken woken(stop);
  auto next_second = clock.now() + second;
  for (;;) {
    std::array<pollfd, 5> all{pollfd{process_.output.get(), POLLIN, 0},
                              pollfd{process_.errors.get(), POLLIN, 0}, pollfd{events_->get(), POLLIN, 0},
                              pollfd{process_.ended_descriptor(), POLLIN, 0},
                              pollfd{is_interrupted_ ? -1 : woken.descriptor(), POLLIN, 0}};
    ::poll(all.data(), all.size(), is_interrupted_ || all[3].fd < 0 ? asking_interval_ms : 1000);
    const auto now = clock.now();
    siginfo_t info{};
    const bool has_ended =
        ::waitid(P_PID, static_cast<id_t>(process_.id()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0;
    if (has_ended) {
      ended_ = now;
      break;
    }
    const auto take = [&](Descriptor& from, const pollfd& one, Lines& lines, const See& see) {
      if (one.revents != 0 && !read(from, lines, see) && (one.revents & POLLHUP) != 0) from.close();
    };
    take(process_.output, all[0], output_, on_line);
    take(process_.errors, all[1], errors_, on_error_line);
    if (all[2].revents != 0) hear_events();
    if (stop.stop_requested()) interrupt(clock);
    if (now < next_second) continue;
    next_second = now + second;
    if (on_second) on_second();
  }
  read_all(process_.output, output_, on_line);
  read_all(process_.errors, errors_, on_error_line);
  hear_events();
}

Exit Hearing::end() {
  const auto exit = process_.exit();
  return exit ? *exit : Exit{};
}

}  // namespace neph::workload::command
