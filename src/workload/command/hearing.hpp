// One command while it runs: started, heard on its three pipes, ended.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/lines.hpp"
#include "core/result.hpp"
#include "os/process.hpp"

namespace neph::workload::command {

struct Launched {
  std::vector<std::string> words;
  Surroundings surroundings;
  std::int64_t cores = 0;  ///< that it is bound to, the first of those that this thread may use; 0: all
};

/// Threads: one, which starts it and hears it.
class Hearing {
 public:
  /// Errors: of Process::start; invalid_argument: fewer cores than that.
  static Result<Hearing> start(const Launched& what, const Descriptor& events);

  using See = std::function<void(std::string_view)>;
  /// Lines of its output and of its errors, without the line feed; of the pipe of events.
  See on_line, on_error_line, on_event;
  /// Every second.
  std::function<void()> on_second;

  /// Until it has ended. Asked to stop it gets SIGINT, as from a terminal, and SIGKILL a second later. What
  /// it has left behind stays, and is no longer heard.
  void hear(const Clock& clock, const std::stop_token& stop);
  /// What is told in the pipe of events until now.
  void hear_events();
  /// After hear(): how it ended. What it started, and did not leave its group, is killed.
  Exit end();

  int id() const { return process_.id(); }
  /// When its end was seen.
  Moment ended() const { return ended_; }

 private:
  Hearing(Process process, const Descriptor& events) : process_(std::move(process)), events_(&events) {}
  bool read(const Descriptor& from, Lines& lines, const See& see);
  void read_all(Descriptor& from, Lines& lines, const See& see);
  void interrupt(const Clock& clock);

  Process process_;
  const Descriptor* events_;
  Lines output_{std::size_t{1} << 18}, errors_{std::size_t{1} << 18}, told_{std::size_t{1} << 16};
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 16);
  std::optional<Moment> kill_at_;
  bool is_interrupted_ = false;
  Moment ended_{};
};

/// Errors: unavailable, where this thread may use fewer cores.
Status check_threads(std::int64_t threads);

}  // namespace neph::workload::command
