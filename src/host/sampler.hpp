// All sources, read step by step. Telemetry gives it a thread; tests drive it by hand.
#pragma once

#include <ctime>
#include <limits>
#include <vector>

#include "core/clock.hpp"
#include "host/source/source.hpp"
#include "host/telemetry.hpp"

namespace neph::host {

class Sampler {
 public:
  /// `options.pid` must be given. Opens all files; cost below 2 ms.
  Sampler(const TelemetryOptions& options, const Clock& clock, Moment origin);

  /// Another process, and what descends from it.
  void also(int pid) { tree_.also(pid); }
  /// Reads the sources that are due, or all of them.
  void step(bool all = false);
  std::vector<Series> take() { return recorder_.take(); }

 private:
  struct Entry {
    SourcePtr source;
    Moment due{};
    Nanoseconds cost{};  ///< CPU time of the cheaper of the last two readings
    int readings = 0;
  };
  void read(Entry& entry);

  const Clock* clock_;
  double cost_limit_;
  Recorder recorder_;
  Records records_;
  ProcessTree tree_;
  std::vector<Entry> entries_;
};

inline Nanoseconds thread_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + Nanoseconds(used.tv_nsec);
}

}  // namespace neph::host
