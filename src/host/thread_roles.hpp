// CPU time of a process's threads, summed by the role in their name (core/thread.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "host/counter_file.hpp"
#include "host/process_tree.hpp"
#include "record/telemetry.hpp"

namespace neph::host {

enum class Role { loader, engine, rest };
inline constexpr std::array<std::string_view, 3> role_names = {target::loader, target::engine, target::rest};
/// "loader-3" → loader; a name of no known role → rest.
Role role_of(std::string_view thread_name);

struct RoleTimes {
  double run_s = 0;   ///< on a processor
  double wait_s = 0;  ///< ready, but no processor was free
  int threads = 0;    ///< living now
};

/// Follows the threads of one process. What a thread has used stays with the role that it had when it used
/// it, also after it has ended; what threads used between their last reading and their end is not seen here.
/// Source: /proc/<pid>/task/<tid>/schedstat (Documentation/scheduler/sched-stats.rst), in nanoseconds; where
/// the kernel keeps none, the thread's stat in steps of 10 ms, without waiting times.
class ThreadRoles {
 public:
  /// Reads all threads; the times count from the first call. `root` null: the process has ended.
  void update(const ProcessTree::Member* root, std::uint64_t walks);
  const RoleTimes& of(Role role) const { return times_[static_cast<std::size_t>(role)]; }
  bool knows_waiting() const { return !in_ticks_; }

 private:
  struct Thread {
    int tid;
    CounterFile clock;
    std::filesystem::path name_file;
    Role role = Role::rest;
    int readings = 0;
    double run_s = 0;
    double wait_s = 0;
  };

  void find_threads(const ProcessTree::Member& root);
  bool read(Thread& thread);
  void read_role(Thread& thread);

  std::vector<Thread> threads_;
  std::array<RoleTimes, 3> times_;
  std::uint64_t walks_seen_ = 0;
  bool started_ = false;
  bool in_ticks_ = false;
};

}  // namespace neph::host
