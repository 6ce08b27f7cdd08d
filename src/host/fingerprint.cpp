#include "host/fingerprint.hpp"

#include <algorithm>

#include <unistd.h>

#include "host/nvml.hpp"
#include "host/processor.hpp"
#include "host/system.hpp"
#include "os/records.hpp"

namespace neph::host {
namespace {

Memory read_memory(const Records& records) {
  Memory memory;
  if (const auto meminfo = records.text("proc/meminfo")) {
    memory.total_bytes = kibibytes_of(*meminfo, "MemTotal");
    memory.available_bytes = kibibytes_of(*meminfo, "MemAvailable");
    memory.swap_bytes = kibibytes_of(*meminfo, "SwapTotal");
  }
  if (const auto choice =
          records.text("sys/kernel/mm/transparent_hugepage/enabled")) {  // always [madvise] never
    const auto open = choice->find('[');
    const auto close = choice->find(']', open);
    if (open != choice->npos && close != choice->npos)
      memory.transparent_huge_pages = choice->substr(open + 1, close - open - 1);
  }
  if (records.is_live()) memory.page_bytes = ::sysconf(_SC_PAGESIZE);
  return memory;
}

Gpus read_gpus(const std::string& library) {
  Gpus gpus;
  if (library.empty()) {
    gpus.unavailable = "not asked for";
    return gpus;
  }
  auto nvml = Nvml::open(library);
  if (!nvml) {
    gpus.unavailable = nvml.error().message;
    return gpus;
  }
  gpus.driver = (*nvml)->driver_version();
  for (int index = 0; index < (*nvml)->device_count(); ++index) {
    const auto device = (*nvml)->device(index);
    GpuDevice found{.index = index};
    if (auto name = device.name()) found.name = *std::move(name);
    if (const auto memory = device.memory()) found.memory_bytes = static_cast<std::int64_t>(memory->total);
    gpus.devices.push_back(std::move(found));
  }
  if (gpus.devices.empty()) gpus.unavailable = "the NVIDIA driver sees no device";
  return gpus;
}

std::optional<double> effective_cores(const Fingerprint& machine) {
  std::optional<double> cores;
  const auto bound = [&](std::optional<double> limit) {
    if (limit) cores = cores ? std::min(*cores, *limit) : *limit;
  };
  bound(machine.processor.online);
  bound(machine.affinity_count);
  bound(machine.container.cpu_quota_cores);
  return cores;
}

}  // namespace

Fingerprint take_fingerprint(const FingerprintOptions& options) {
  const Records records(options.root);
  Fingerprint machine;
  machine.processor = read_processor(records);
  machine.memory = read_memory(records);
  machine.system = read_system(records);
  machine.container = read_container(records, machine.memory.total_bytes, machine.processor.online);
  machine.gpu = read_gpus(options.nvml_library);
  if (const auto status = records.text("proc/self/status"))
    machine.affinity = value_of(*status, "Cpus_allowed_list");
  if (machine.affinity)
    if (const auto cpus = to_cpus(*machine.affinity)) machine.affinity_count = std::ssize(*cpus);
  machine.effective_cores = effective_cores(machine);
  return machine;
}

}  // namespace neph::host
