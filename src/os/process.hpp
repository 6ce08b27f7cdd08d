// One child process with its three pipes, in a group of its own.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "core/result.hpp"
#include "os/descriptors.hpp"

namespace neph {

/// What a process finds when it starts, beyond what this one has.
struct Surroundings {
  std::vector<std::pair<std::string, std::string>>
      environment{};     ///< added, or put in the place of what is there
  std::string folder{};  ///< it starts in; empty: this one's
};

/// Whether it is a file that may be run.
bool is_program(const std::filesystem::path& path);
/// Where a shell would find the program; empty: in no folder of PATH.
std::filesystem::path program_in_path(std::string_view name);

/// How a process ended, by itself with a code or by a signal, and what it took.
struct Exit {
  int code = 0;
  int signal = 0;                      ///< 0: by itself
  double cpu_s = 0;                    ///< of it and those of its children that it waited for
  std::int64_t peak_memory_bytes = 0;  ///< resident, of the largest of these
};
/// "ended with exit code 3", "was killed by SIGKILL (out of memory? ...)".
std::string how_it_ended(const Exit& exit);

/// A signal by which people, terminals and schedulers end processes.
constexpr bool asks_to_end(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}
/// "SIGTERM"; "signal 40" where it has no name.
std::string name_of_signal(int signal);

/// A group of its own, so that the terminal's Ctrl-C reaches the controller only, and everything that the
/// child starts can be ended with it. The kernel kills the child when the thread that started it dies
/// (prctl(2), PR_SET_PDEATHSIG): a controller that is gone leaves no worker that disturbs the next
/// measurement. It inherits no open file but the three pipes, and no signal handling but what is ignored.
class Process {
 public:
  /// `command`: program (looked up in PATH) and arguments. Errors: not_found (also the folder), unavailable
  /// (not executable, no more processes), invalid_argument (empty).
  static Result<Process> start(const std::vector<std::string>& command,
                               const Surroundings& surroundings = {});

  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  /// Kills what is still there.
  ~Process();

  // The ends of the pipes on this side, not blocking.
  Descriptor input;
  Descriptor output;
  Descriptor errors;

  /// Readable when the child has ended; -1 where the kernel (before 5.3) has none.
  int ended_descriptor() const { return ended_.get(); }
  int id() const { return id_; }
  /// To the child and all that it started.
  void signal_group(int signal) const;
  /// Its end, if it has ended; what it left behind in its group is killed, and its temporary folders are
  /// removed where it was killed itself: "neph-<id>-..." in $TMPDIR, or /tmp.
  std::optional<Exit> exit();

 private:
  explicit Process(pid_t id);
  pid_t id_ = -1;  ///< -1: ended
  Descriptor ended_;
};

}  // namespace neph
