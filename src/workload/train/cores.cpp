#include "workload/train/cores.hpp"

#include <cerrno>
#include <cstring>

#include <sched.h>

namespace neph::workload {

Result<std::int64_t> bind_to_cores(std::int64_t count) {
  cpu_set_t usable, chosen;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0)
    return fail(ErrorCode::unavailable, "the cores of this process cannot be told: {}", std::strerror(errno));
  CPU_ZERO(&chosen);
  std::int64_t bound = 0;
  for (std::size_t core = 0; core < CPU_SETSIZE && bound < count; ++core)
    if (CPU_ISSET(core, &usable)) {
      CPU_SET(core, &chosen);
      ++bound;
    }
  if (sched_setaffinity(0, sizeof chosen, &chosen) != 0)
    return fail(ErrorCode::unavailable, "cannot be bound to {} cores: {}", bound, std::strerror(errno));
  return bound;
}

}  // namespace neph::workload
