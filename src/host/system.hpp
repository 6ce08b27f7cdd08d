// Kernel, operating system, hypervisor, cloud, container, versions.
#pragma once

#include "host/fingerprint.hpp"
#include "os/records.hpp"

namespace neph::host {

System read_system(const Records& records);

/// Whether this process lives in a container, and the limits that bind it. `memory_total` and `online`: a
/// limit that is not below what the machine has is no limit.
Container read_container(const Records& records, std::optional<std::int64_t> memory_total,
                         std::optional<std::int64_t> online);

}  // namespace neph::host
