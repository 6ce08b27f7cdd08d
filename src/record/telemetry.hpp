// The names of telemetry: what is watched (a target), and which quantities of it. A series is called
// TARGET.QUANTITY where both stand together: "process.cpu_user". What each means: host/telemetry.hpp.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/units.hpp"
#include "record/metric.hpp"

namespace neph {

namespace target {

inline constexpr std::string_view machine = "machine";
inline constexpr std::string_view process = "process";  ///< the run and its descendants
inline constexpr std::string_view loader = "loader";    ///< threads of the process, by role
inline constexpr std::string_view engine = "engine";
inline constexpr std::string_view rest = "rest";
inline constexpr std::string_view container = "container";  ///< the control group of the process
inline constexpr std::string_view gpu = "gpu";  ///< none could be read; else gpu0, gpu1, ...: gpu_target()
/// The control group of the container that the run is made in, as the machine around it sees it.
inline constexpr std::string_view host_container = "host_container";

/// Of a run behind a server: the run's own process, and the server's.
inline constexpr std::string_view client = "client";
inline constexpr std::string_view client_loader = "client_loader";
inline constexpr std::string_view client_engine = "client_engine";
inline constexpr std::string_view client_rest = "client_rest";
inline constexpr std::string_view server = "server";
inline constexpr std::string_view server_loader = "server_loader";
inline constexpr std::string_view server_engine = "server_engine";
inline constexpr std::string_view server_rest = "server_rest";
inline constexpr std::string_view server_container = "server_container";
/// Of a server on another machine, from its page of metrics.
inline constexpr std::string_view server_machine = "server_machine";
inline constexpr std::string_view server_gpus = "server_gpus";

/// What the epochs of a training came to, each at its end: metric::train_loss, test_loss, test_accuracy.
/// Stands beside the telemetry's series, and is none.
inline constexpr std::string_view training = "training";

/// Client and server together, wherever they run; in-process the process. No series has it: it is a sum.
inline constexpr std::string_view application = "application";

/// The first GPUs, for tables and charts with a place for each.
inline constexpr std::array<std::string_view, 8> gpus{"gpu0", "gpu1", "gpu2", "gpu3",
                                                      "gpu4", "gpu5", "gpu6", "gpu7"};

}  // namespace target

/// "gpu0".
inline std::string gpu_target(int index) { return std::string(target::gpu) + std::to_string(index); }

/// A part (role, control group) of a watched process: "engine" of the run's own, "server_engine" of the
/// server.
inline std::string part_target(std::string_view process, std::string_view part) {
  if (process == target::process) return std::string(part);
  return std::string(process) + "_" + std::string(part);
}

namespace telemetry {

inline constexpr Metric cpu{"cpu", unit::cores};
inline constexpr Metric cpu_user{"cpu_user", unit::cores};
inline constexpr Metric cpu_system{"cpu_system", unit::cores};
inline constexpr Metric cpu_interrupts{"cpu_interrupts", unit::cores};  ///< inside cpu_system
inline constexpr Metric cpu_iowait{"cpu_iowait", unit::cores};
inline constexpr Metric cpu_steal{"cpu_steal", unit::cores};
inline constexpr Metric cpu_idle{"cpu_idle", unit::cores};
inline constexpr Metric cpu_wait{"cpu_wait", unit::cores};
inline constexpr Metric cpu_throttled{"cpu_throttled", unit::cores};
inline constexpr Metric throttled_periods{"throttled_periods", unit::per_s};
inline constexpr Metric cpu_frequency{"cpu_frequency", unit::hertz};
inline constexpr Metric thermal_throttle{"thermal_throttle", unit::per_s};
inline constexpr Metric run_queue{"run_queue", unit::threads};
inline constexpr Metric threads{"threads", unit::threads};
inline constexpr Metric processes{"processes", unit::processes};
inline constexpr Metric context_switches{"context_switches", unit::per_s};
inline constexpr Metric context_switches_voluntary{"context_switches_voluntary", unit::per_s};
inline constexpr Metric context_switches_involuntary{"context_switches_involuntary", unit::per_s};

inline constexpr Metric memory_used{"memory_used", unit::bytes};
inline constexpr Metric memory_available{"memory_available", unit::bytes};
inline constexpr Metric memory_occupied{"memory_occupied", unit::bytes};  ///< what dstat calls used
inline constexpr Metric memory_free{"memory_free", unit::bytes};
inline constexpr Metric memory_buffers{"memory_buffers", unit::bytes};
inline constexpr Metric memory_cached{"memory_cached", unit::bytes};
inline constexpr Metric page_cache{"page_cache", unit::bytes};
inline constexpr Metric memory_resident{"memory_resident", unit::bytes};
inline constexpr Metric memory_current{"memory_current", unit::bytes};
inline constexpr Metric memory_peak{"memory_peak", unit::bytes};
inline constexpr Metric memory_limit_hits{"memory_limit_hits", unit::per_s};
inline constexpr Metric page_faults_minor{"page_faults_minor", unit::per_s};
inline constexpr Metric page_faults_major{"page_faults_major", unit::per_s};
inline constexpr Metric swap_in{"swap_in", unit::bytes_per_s};
inline constexpr Metric swap_out{"swap_out", unit::bytes_per_s};

/// Pressure stall information: the share of time in which some, or all, tasks waited.
inline constexpr Metric pressure_cpu_some{"pressure_cpu_some", unit::percent};
inline constexpr Metric pressure_cpu_full{"pressure_cpu_full", unit::percent};
inline constexpr Metric pressure_memory_some{"pressure_memory_some", unit::percent};
inline constexpr Metric pressure_memory_full{"pressure_memory_full", unit::percent};
inline constexpr Metric pressure_io_some{"pressure_io_some", unit::percent};
inline constexpr Metric pressure_io_full{"pressure_io_full", unit::percent};

inline constexpr Metric disk_read{"disk_read", unit::bytes_per_s};
inline constexpr Metric disk_write{"disk_write", unit::bytes_per_s};
inline constexpr Metric disk_read_requests{"disk_read_requests", unit::per_s};
inline constexpr Metric disk_write_requests{"disk_write_requests", unit::per_s};
inline constexpr Metric network_received{"network_received", unit::bytes_per_s};
inline constexpr Metric network_sent{"network_sent", unit::bytes_per_s};
inline constexpr Metric loopback_received{"loopback_received", unit::bytes_per_s};

inline constexpr Metric utilisation{"utilisation", unit::percent};
inline constexpr Metric utilisation_of_all{utilisation.name, unit::gpus};  ///< the sum over all GPUs
inline constexpr Metric power{"power", unit::watt};
inline constexpr Metric clock_sm{"clock_sm", unit::hertz};
inline constexpr Metric temperature{"temperature", unit::celsius};
inline constexpr Metric throttled_by_heat{"throttled_by_heat", unit::share};
inline constexpr Metric throttled_by_power{"throttled_by_power", unit::share};

}  // namespace telemetry
}  // namespace neph
