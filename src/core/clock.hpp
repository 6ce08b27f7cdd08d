// Time. Everything that measures takes a Clock, so that unit tests run on ManualClock and never sleep.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace neph {

using Nanoseconds = std::chrono::nanoseconds;
/// A moment on the machine's monotonic clock (CLOCK_MONOTONIC: the same for all processes of the machine).
using Moment = std::chrono::time_point<std::chrono::steady_clock, Nanoseconds>;

constexpr double seconds(Nanoseconds span) { return static_cast<double>(span.count()) * 1e-9; }
/// Saturates at 285 years, far from where the integer ends.
constexpr Nanoseconds from_seconds(double s) {
  constexpr double most = 9e9;
  return Nanoseconds(static_cast<std::int64_t>((s > most ? most : s > -most ? s : -most) * 1e9));
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment now() const = 0;
  /// Returns at `moment` or later.
  virtual void sleep_until(Moment moment) const = 0;
};

/// CLOCK_MONOTONIC. Threads: any number. Cost: about 25 ns a reading (vDSO).
class SteadyClock final : public Clock {
 public:
  Moment now() const override;
  void sleep_until(Moment moment) const override;
};

/// For tests: moves only when told to, or when somebody sleeps on it.
class ManualClock final : public Clock {
 public:
  Moment now() const override { return now_; }
  void sleep_until(Moment moment) const override { now_ = std::max(now_, moment); }
  void advance(Nanoseconds span) { now_ += span; }

 private:
  mutable Moment now_{};
};

/// Wall-clock time as "2026-11-21T10:03:59Z".
std::string utc_now();

}  // namespace neph
