// What a process and its machine have used since they started, as plain numbers: for a page of metrics that
// somebody on another machine reads twice and subtracts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace neph::host {

/// One number under a name of record/prometheus.hpp.
struct CounterReading {
  std::string name;
  std::string help;
  double value = 0;
  bool grows = true;  ///< a counter; else a gauge
  std::vector<std::pair<std::string, std::string>> labels;
};
using CounterReadings = std::vector<CounterReading>;

/// Of this process and machine. What cannot be read is left out. Threads: one at a time. Cost: about 0.2 ms a
/// reading; a thread that ended between two readings is missing from its role, never from the process.
class Counters {
 public:
  explicit Counters(const std::filesystem::path& root = "/",
                    const std::string& nvml_library = "libnvidia-ml.so.1");
  ~Counters();

  CounterReadings read();

 private:
  struct Sources;
  std::unique_ptr<Sources> sources_;
};

}  // namespace neph::host
