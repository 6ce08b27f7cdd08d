// The metrics of a server's process and machine on its metrics endpoint, which `neph serve` writes and a run
// behind it reads: names that Prometheus' own tools use (process_* of its client libraries, node_* of
// node_exporter, container_* of cAdvisor, nv_gpu_* of Triton). Seconds and bytes.
#pragma once

#include <string>
#include <string_view>

namespace neph::prometheus {

inline constexpr std::string_view process_cpu = "process_cpu_seconds_total";
inline constexpr std::string_view process_cpu_user = "process_cpu_user_seconds_total";
inline constexpr std::string_view process_cpu_system = "process_cpu_system_seconds_total";
inline constexpr std::string_view process_role_cpu = "process_role_cpu_seconds_total";
inline constexpr std::string_view process_threads = "process_threads";
inline constexpr std::string_view process_start_time = "process_start_time_seconds";
inline constexpr std::string_view process_open_fds = "process_open_fds";
inline constexpr std::string_view process_resident_memory = "process_resident_memory_bytes";
inline constexpr std::string_view process_resident_memory_max = "process_resident_memory_max_bytes";
inline constexpr std::string_view process_virtual_memory = "process_virtual_memory_bytes";

inline constexpr std::string_view node_cpu = "node_cpu_seconds_total";
inline constexpr std::string_view node_memory_total = "node_memory_MemTotal_bytes";
inline constexpr std::string_view node_memory_available = "node_memory_MemAvailable_bytes";

inline constexpr std::string_view container_memory = "container_memory_usage_bytes";
inline constexpr std::string_view container_memory_max = "container_memory_max_usage_bytes";

inline constexpr std::string_view gpu_utilisation = "nv_gpu_utilization";
inline constexpr std::string_view gpu_memory_used = "nv_gpu_memory_used_bytes";
inline constexpr std::string_view gpu_memory_total = "nv_gpu_memory_total_bytes";
inline constexpr std::string_view gpu_power = "nv_gpu_power_usage";

/// Labels: of process_role_cpu, whose values are the targets loader, engine, rest; of node_cpu; of a GPU.
inline constexpr std::string_view role = "role";
inline constexpr std::string_view mode = "mode";
inline constexpr std::string_view gpu = "gpu";
/// Values of mode.
inline constexpr std::string_view user = "user";
inline constexpr std::string_view system = "system";
inline constexpr std::string_view idle = "idle";
inline constexpr std::string_view steal = "steal";

/// `role="engine"`, as a line of the page has it.
inline std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + "\"";
}

}  // namespace neph::prometheus
