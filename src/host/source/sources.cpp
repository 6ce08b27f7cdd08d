#include "host/source/source.hpp"

namespace neph::host {

std::vector<SourcePtr> open_sources(const Subject& subject, Recorder& recorder) {
  std::vector<SourcePtr> sources;
  for (const auto open : {
           machine_cpu, machine_memory, swapping, pressure, disks, network, frequency, process,
           context_switches, container,
           gpus,  // last: NVIDIA's driver may take a second to start
       })
    sources.push_back(open(subject, recorder));
  return sources;
}

}  // namespace neph::host
