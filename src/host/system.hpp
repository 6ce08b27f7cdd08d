// Kernel, operating system, hypervisor, versions.
#pragma once

#include "host/fingerprint.hpp"
#include "os/records.hpp"

namespace neph::host {

System read_system(const Records& records);

}  // namespace neph::host
