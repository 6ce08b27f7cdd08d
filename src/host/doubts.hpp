// What the machine did during a measurement that makes its numbers doubtful.
#pragma once

#include <vector>

#include "host/fingerprint.hpp"
#include "record/run.hpp"

namespace neph::host {

// Thresholds. Below them a disturbance is smaller than the spread that repeats show on a quiet machine.
inline constexpr double stolen_share = 0.02;     ///< of the CPU time that was wanted (user + system + steal)
inline constexpr double stolen_cores = 0.02;     ///< and at least this much, in cores
inline constexpr double throttled_cores = 0.01;  ///< CPU quota: time that threads of the group were held
inline constexpr double gpu_throttled_share = 0.05;  ///< of the time
inline constexpr double swapped_faults_per_s = 10;   ///< major faults of the process: pages fetched from disk
inline constexpr double busy_machine_share = 0.10;   ///< of the online cores, used by others
inline constexpr double memory_limit_share = 0.90;   ///< of the container's limit, or of the machine's memory

/// Warnings with the codes stolen, throttled, swapped, busy_machine, memory_limit_near and
/// governor_not_performance (a hint), from summaries over the measurement phase. Nothing is said about a
/// quantity that was unavailable.
std::vector<Warning> doubts(const std::vector<SeriesSummary>& telemetry, const Fingerprint& machine);

}  // namespace neph::host
