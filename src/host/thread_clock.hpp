// CPU time that the calling thread has used.
#pragma once

#include <ctime>

#include "core/clock.hpp"

namespace neph::host {

inline Nanoseconds thread_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + Nanoseconds(used.tv_nsec);
}

}  // namespace neph::host
