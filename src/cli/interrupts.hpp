// Ctrl-C and kill, handed to the experiment in progress: once, finish the run; twice, stop now.
#pragma once

#include <array>
#include <csignal>

#include "experiment/experiment.hpp"

namespace neph::cli {

/// While it lives, SIGINT and SIGTERM raise `interrupt`, each time by one; SIGHUP, of a terminal that is
/// closed and cannot say it twice, and SIGQUIT raise it by two, where they were not ignored (nohup). One at a
/// time: a signal handler can only be told by a global.
class CatchInterrupts {
 public:
  /// `longest_end_s`: after the first of them the process may take so long to end, after the second a second:
  /// what it is in may not return. Then SIGALRM ends it. 0: as long as it takes.
  explicit CatchInterrupts(experiment::Interrupt& interrupt, unsigned longest_end_s = 0);
  ~CatchInterrupts();
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::array<struct sigaction, signals.size()> before_{};
};

/// Whether this process was started so that it does not heed the signal.
bool is_ignored(int signal);

}  // namespace neph::cli
