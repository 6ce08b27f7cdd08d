// The cores that a run is bound to: a training on N threads has N cores, and its loaders no others.
#pragma once

#include <cstdint>

#include "core/result.hpp"

namespace neph::workload {

/// Binds this thread, and those that it starts from now on, to the first `count` of the cores that it may
/// use; to all of them where there are no more, or `count` is 0. Of several ranks each has its own part of
/// them. Gives how many. Errors: unavailable (the kernel refuses, or there is not a core for each rank).
Result<std::int64_t> bind_to_cores(std::int64_t count, std::int64_t rank = 0, std::int64_t ranks = 1);

}  // namespace neph::workload
