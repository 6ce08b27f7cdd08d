// Which monotonic clock a process reads: two readings may be compared only where the names are the same.
#pragma once

#include <string>

namespace neph {

/// The kernel's start (its boot_id) and the time namespace of this process. Empty: not to be known, and then
/// the same as no other clock.
std::string monotonic_clock_name();

}  // namespace neph
