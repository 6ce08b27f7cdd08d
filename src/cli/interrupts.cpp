#include "cli/interrupts.hpp"

#include <atomic>

#include <unistd.h>

namespace neph::cli {
namespace {

std::atomic<experiment::Interrupt*> in_progress{nullptr};
std::atomic<unsigned> longest_end{0};

void on_signal(int signal) {
  auto* const interrupt = in_progress.load();
  if (interrupt == nullptr) return;
  interrupt->raise();
  if (signal == SIGHUP || signal == SIGQUIT) interrupt->raise();
  if (longest_end > 0) ::alarm(interrupt->level() > 1 ? 1 : longest_end.load());
}

}  // namespace

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

CatchInterrupts::CatchInterrupts(experiment::Interrupt& interrupt, unsigned longest_end_s) {
  in_progress = &interrupt;
  longest_end = longest_end_s;
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const bool is_kept = i > 1 && is_ignored(signals[i]);
    ::sigaction(signals[i], is_kept ? nullptr : &action, &before_[i]);
  }
}

CatchInterrupts::~CatchInterrupts() {
  ::alarm(0);
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  in_progress = nullptr;
}

}  // namespace neph::cli
