// The cores that a run is bound to: a training on N threads has N cores, and its loaders no others.
#pragma once

#include <cstdint>

#include "core/result.hpp"

namespace neph::workload {

/// Binds this thread, and those that it starts from now on, to the first `count` of the cores that it may
/// use; to all of them where there are no more. Gives how many. Errors: unavailable (the kernel refuses).
Result<std::int64_t> bind_to_cores(std::int64_t count);

}  // namespace neph::workload
