// Ctrl-C and kill, handed to the experiment in progress: once, finish the run; twice, stop now.
#pragma once

#include <csignal>

#include "experiment/experiment.hpp"

namespace neph::cli {

/// While it lives, SIGINT and SIGTERM raise `interrupt`. One at a time: a signal handler can only be told by
/// a global.
class CatchInterrupts {
 public:
  explicit CatchInterrupts(experiment::Interrupt& interrupt);
  ~CatchInterrupts();
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace neph::cli
