// Linux asked directly, for the launcher, which has no C library: it runs before one is chosen.
//
// What it does not do: set errno, retry, allocate. A call's answer is the kernel's own: below 0 it is an
// error.
#pragma once

#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bundle/architecture.hpp"

namespace neph::bundle {

/// The kernel tells addresses as numbers.
template <class T>
T* at_address(std::uint64_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

inline std::size_t length(const char* text) {
  std::size_t count = 0;
  while (text[count] != '\0') ++count;
  return count;
}

inline long open_to_read(const char* path) {
  return ask_kernel(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
}

/// The exit code of shells where a command cannot be started.
[[noreturn]] inline void give_up(const char* what, const char* about) {
  const char* const texts[] = {"neph: ", what, about, "\n"};
  for (const char* text : texts)
    ask_kernel(SYS_write, 2, reinterpret_cast<long>(text), static_cast<long>(length(text)));
  for (;;) ask_kernel(SYS_exit_group, 127);
}

inline bool is_error(long answer) { return answer < 0 && answer > -4096; }

inline bool exists(const char* path) {
  return !is_error(ask_kernel(SYS_faccessat, AT_FDCWD, reinterpret_cast<long>(path), F_OK));
}

inline long map(long at, std::size_t bytes, int protection, int flags, long file = -1,
                std::size_t offset = 0) {
  return ask_kernel(SYS_mmap, at, static_cast<long>(bytes), protection, flags, file,
                    static_cast<long>(offset));
}

}  // namespace neph::bundle
