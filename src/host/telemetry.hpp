// What the machine does while something is measured: raw counters of the kernel, read at a fixed rate.
//
// Series come out by target. Rates are differences of counters over the true time between two readings; a
// rate's point stands at the end of its interval. CPU is in cores: 1.0 is one core kept busy.
//   machine    cpu_user cpu_system cpu_interrupts (inside cpu_system) cpu_iowait cpu_steal cpu_idle
//              run_queue context_switches
//              memory_used memory_available page_cache (buffers and cached) swap_in swap_out
//              memory_free memory_buffers memory_cached (as /proc/meminfo has them) memory_occupied (total
//              less free, buffers, cached and reclaimable slab, with shared memory: dstat's "used")
//              pressure_{cpu,memory,io}_{some,full} disk_read disk_write
//              disk_read_requests disk_write_requests network_received network_sent loopback_received
//              cpu_frequency thermal_throttle
//   process    the process and its descendants: cpu cpu_user cpu_system threads processes
//              memory_resident memory_peak page_faults_minor page_faults_major
//              context_switches_voluntary context_switches_involuntary disk_read disk_write
//   loader, engine, rest   threads by the role in their name (os/thread.hpp): cpu cpu_wait threads;
//              loader + engine + rest = process for cpu. Descendants count as rest.
//   container  cpu cpu_throttled throttled_periods memory_current memory_peak memory_limit_hits;
//   host_container
//              is that of a run's container, read from outside of it
//   gpu0, ...  utilisation memory_used power clock_sm temperature throttled_by_heat throttled_by_power
// The kernel splits user from system time in steps of 10 ms, so one reading of cpu_user at 10 Hz is good to
// 0.1 core and a mean over a second to 0.01; cpu of the process and its roles is good to a microsecond.
// memory_peak is exact for one process and an upper bound for a tree (the sum of each one's own peak).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "record/run.hpp"
#include "record/telemetry.hpp"

namespace neph::host {

struct TelemetryOptions {
  double rate_hz = 10;  ///< readings a second, 0.1 to 1000
  int pid = 0;          ///< root of the process tree that is watched; 0: this process
  /// What the process is called in the targets: with another name than this one its roles and its container
  /// are NAME_loader, NAME_engine, NAME_rest and NAME_container.
  std::string process{target::process};
  bool descendants = true;  ///< false: the process alone
  bool machine = true;      ///< false: neither the machine nor its GPUs, which another telemetry watches
  /// true: nothing but its own control group, whatever groups around that one limit.
  bool control_group_alone = false;
  std::filesystem::path root = "/";
  std::string nvml_library = "libnvidia-ml.so.1";
  /// A source whose readings would take more than this share of one core is read less often (/proc/stat of a
  /// machine with hundreds of processors takes a millisecond). 0: no limit.
  double cost_limit = 0.001;
};

/// A sampler in a thread of its own. Threads: mark() and also() from any; stop() from one. `clock` must
/// outlive it.
class Telemetry {
 public:
  /// Takes the first reading in its own thread at once and returns without waiting for it (below 1 ms).
  /// `origin` is second 0 of the series. Errors: invalid_argument (rate), not_found (no such process).
  static Result<std::unique_ptr<Telemetry>> start(const TelemetryOptions& options, const Clock& clock,
                                                  Moment origin);

  virtual ~Telemetry() = default;
  /// From the next reading on the process and its descendants count too, although somebody else started them
  /// (a container's, which the engine of containers does). As descendants they count as rest.
  virtual void also(int pid) = 0;
  /// Asks for a reading now, out of turn: at the border of a phase it keeps what lies before apart from what
  /// comes after. Returns at once; the reading follows within about 0.1 ms.
  virtual void mark() = 0;
  /// Takes a last reading, ends the thread and hands over every quantity, also the unavailable ones. A second
  /// call returns nothing.
  virtual std::vector<Series> stop() = 0;
  /// CPU time that the sampler's thread has used; complete after stop().
  virtual double cost_cpu_s() const = 0;
};

/// One summary per series, in their order. A point stands for the time since the point before it (the first
/// one for all time before, the last one also for all after). Points with at least half of their time in
/// [begin_s, end_s] count, weighted by the part of their time that lies inside; if there is none, the point
/// that covers most of the window does. Unavailable series stay so, with their reason.
std::vector<SeriesSummary> summarise(const std::vector<Series>& series, double begin_s, double end_s);

}  // namespace neph::host
