// When a process was started, on the clock that everything else uses.
#pragma once

#include <filesystem>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace neph::host {

/// The kernel's record (proc(5), /proc/<pid>/stat, field 22), which counts in steps of 10 ms from boot: the
/// true start lies in [result, result + 10 ms). Time that the machine slept is taken out (CLOCK_BOOTTIME
/// against CLOCK_MONOTONIC). `pid` 0: this process. Errors: not_found, corrupt.
Result<Moment> process_start(int pid = 0, const std::filesystem::path& root = "/");

/// The same with the time that the machine has slept since boot given.
Result<Moment> process_start(int pid, const std::filesystem::path& root, Nanoseconds slept);

}  // namespace neph::host
