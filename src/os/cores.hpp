// How many cores this process may keep busy: the one answer for all who start threads or count machines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/result.hpp"

namespace neph {

/// Numbers of the processors that the calling thread may run on (sched_getaffinity(2)), in rising order;
/// empty: the kernel does not tell.
std::vector<std::size_t> allowed_cores();

/// Has the calling thread, and those that it starts from now on, run on these only. Errors: unavailable.
Status bind_this_thread(std::span<const std::size_t> cores);

/// `allowed` processors, or fewer where the CPU quota of a control group on the way up (v2's cpu.max, v1's
/// cpu.cfs_quota_us) is less: a quota of 1.5 keeps 2 busy. At least 1. `root` has proc/ and sys/. Cost: reads
/// some small files.
std::int64_t usable_cores(std::size_t allowed = allowed_cores().size(),
                          const std::filesystem::path& root = "/");

}  // namespace neph
