// How many files and sockets this process may have open.
#pragma once

#include <sys/resource.h>

namespace neph {

/// Has the process open as many as the system lets it. Shells give 1024, for those who use select(): here
/// nobody does, and each connection takes one.
inline void allow_descriptors() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

inline rlim_t most_descriptors() {
  rlimit files{};
  return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : RLIM_INFINITY;
}

}  // namespace neph
