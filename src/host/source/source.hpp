// Sources of telemetry: one file per source, and one line in the list of sources.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/process_tree.hpp"
#include "host/recorder.hpp"
#include "os/records.hpp"

namespace neph::host {

/// What is watched.
struct Subject {
  Records records;
  int pid;
  ProcessTree& tree;  ///< brought up to date before the sources are asked
  std::string nvml_library;
  std::string process{target::process};  ///< its target
  bool control_group_alone = false;      ///< TelemetryOptions::control_group_alone

  /// The target of a part of the process: "engine", or "server_engine" where the process is called server.
  std::string part(std::string_view name) const { return part_target(process, name); }
};

/// Declares its quantities when it is made, and adds to them when asked. Used by one thread.
class Source {
 public:
  virtual ~Source() = default;
  /// Reads its counters; `now` is the moment just before.
  virtual void sample(Moment now) = 0;
  /// The least time between two readings that makes sense for it.
  virtual Nanoseconds spacing() const { return {}; }
};

using SourcePtr = std::unique_ptr<Source>;
SourcePtr machine_cpu(const Subject& subject, Recorder& recorder);
SourcePtr machine_memory(const Subject& subject, Recorder& recorder);
SourcePtr swapping(const Subject& subject, Recorder& recorder);
SourcePtr pressure(const Subject& subject, Recorder& recorder);
SourcePtr disks(const Subject& subject, Recorder& recorder);
SourcePtr network(const Subject& subject, Recorder& recorder);
SourcePtr frequency(const Subject& subject, Recorder& recorder);
SourcePtr process(const Subject& subject, Recorder& recorder);
SourcePtr context_switches(const Subject& subject, Recorder& recorder);
SourcePtr container(const Subject& subject, Recorder& recorder);
SourcePtr gpus(const Subject& subject, Recorder& recorder);

/// All of them, in the order in which they are read and shown; without `machine` only those of the process.
std::vector<SourcePtr> open_sources(const Subject& subject, Recorder& recorder, bool machine);

}  // namespace neph::host
