#include "cli/interrupts.hpp"

#include <atomic>

namespace neph::cli {
namespace {

std::atomic<experiment::Interrupt*> in_progress{nullptr};

void on_signal(int) {
  if (auto* interrupt = in_progress.load()) interrupt->raise();
}

}  // namespace

CatchInterrupts::CatchInterrupts(experiment::Interrupt& interrupt) {
  in_progress = &interrupt;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
}

CatchInterrupts::~CatchInterrupts() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
  in_progress = nullptr;
}

}  // namespace neph::cli
