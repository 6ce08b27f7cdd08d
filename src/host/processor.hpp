// The processor, from /proc/cpuinfo and /sys/devices/system/cpu.
#pragma once

#include "host/fingerprint.hpp"
#include "os/records.hpp"

namespace neph::host {

Processor read_processor(const Records& records);

}  // namespace neph::host
