#include "workload/train/cores.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sched.h>

namespace neph::workload {

Result<std::int64_t> bind_to_cores(std::int64_t count, std::int64_t rank, std::int64_t ranks) {
  cpu_set_t usable, chosen;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0)
    return fail(ErrorCode::unavailable, "the cores of this process cannot be told: {}", std::strerror(errno));
  std::int64_t all = CPU_COUNT(&usable);
  if (count > 0) all = std::min(all, count);
  if (all < ranks)
    return fail(ErrorCode::unavailable, "{} processes need {} cores, and there are {}", ranks, ranks, all);
  const auto begin = all * rank / ranks, end = all * (rank + 1) / ranks;
  CPU_ZERO(&chosen);
  std::int64_t seen = 0;
  for (std::size_t core = 0; core < CPU_SETSIZE && seen < end; ++core)
    if (CPU_ISSET(core, &usable) && seen++ >= begin) CPU_SET(core, &chosen);
  if (sched_setaffinity(0, sizeof chosen, &chosen) != 0)
    return fail(ErrorCode::unavailable, "cannot be bound to {} cores: {}", end - begin, std::strerror(errno));
  return end - begin;
}

}  // namespace neph::workload
