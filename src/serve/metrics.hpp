// The page of figures for Prometheus, text format 0.0.4: Triton's names for what models did (ours begin
// with neph_), the usual process_* names for this process, node_exporter's for the machine. Only for files of
// this module.
#pragma once

#include <map>
#include <string>

#include "host/host.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

class Metrics {
 public:
  void add(const wire::ModelStatistics& model, std::int64_t pending);
  void add(const host::CounterReadings& readings);
  std::string text() const;

 private:
  struct Family {
    std::string head;  ///< its HELP and TYPE lines
    std::string lines;
  };
  void line(const char* name, const char* type, const char* help, const std::string& labels, double value);

  std::vector<std::string> order_;  ///< of families, as they were first added
  std::map<std::string, Family> families_;
};

}  // namespace neph::serve
