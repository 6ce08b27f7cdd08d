#include <algorithm>
#include <cerrno>

#include <sys/eventfd.h>
#include <unistd.h>

#include "experiment/experiment.hpp"

namespace neph::experiment {

static_assert(std::atomic<int>::is_always_lock_free, "raise() must be async-signal-safe");

Interrupt::Interrupt() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Interrupt::raise() noexcept {
  const int saved = errno;  // a signal handler must leave it as it was
  level_.fetch_add(1);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written =
      ::write(descriptor_.get(), &one, sizeof one);  // full is as good: readable
  errno = saved;
}

int Interrupt::level() const noexcept { return std::min(level_.load(), 2); }

void Interrupt::clear() noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(descriptor_.get(), &count, sizeof count);
}

}  // namespace neph::experiment
