#include "host/source/source.hpp"

namespace neph::host {

std::vector<SourcePtr> open_sources(const Subject& subject, Recorder& recorder, bool machine) {
  std::vector<SourcePtr> sources;
  const auto open = [&](auto... all) { (sources.push_back(all(subject, recorder)), ...); };
  if (subject.control_group_alone) {
    open(container);
    return sources;
  }
  if (machine) open(machine_cpu, machine_memory, swapping, pressure, disks, network, frequency);
  open(process, context_switches, container);
  if (machine) open(gpus);  // last: NVIDIA's driver may take a second to start
  return sources;
}

}  // namespace neph::host
