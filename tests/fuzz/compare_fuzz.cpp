// Any bytes as results that are to be compared: neph's, perf_analyzer's, google-benchmark's, hyperfine's.
// Nothing may crash; an error is one line; what is read has configurations of different names and finite
// numbers, and can be joined with itself unless it is one experiment.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>

#include "compare/compare.hpp"

namespace neph::compare {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Configuration& configuration) {
  for (const auto& run : configuration.runs) {
    require(run.block >= 0);
    for (const auto& [name, value] : run.metrics) require(std::isfinite(value));
  }
  for (const auto& [name, mean] : configuration.means) {
    require(std::isfinite(mean.value) && mean.n >= 0);
    require(mean.low.has_value() == mean.high.has_value());
    if (mean.low) require(*mean.low <= mean.value && mean.value <= *mean.high);
  }
}

void read(std::string_view text) {
  const auto source = parse_source(text, "input");
  if (!source) {
    const auto message = source.error().text();
    return require(!message.empty() && message.find('\n') == std::string::npos);
  }
  require(!source->configurations.empty() && !source->kind.empty());
  std::set<std::string> labels;
  for (const auto& configuration : source->configurations) {
    require(labels.insert(configuration.label).second);
    check(configuration);
  }
  const auto twice = joined({*source, *source});
  require(twice.has_value() == source->identity.empty());
  if (!twice) return;
  require(twice->configurations.size() == source->configurations.size());
  for (const auto& configuration : twice->configurations) {
    check(configuration);
    require(configuration.runs.size() % 2 == 0 && configuration.means.empty());
  }
}

}  // namespace
}  // namespace neph::compare

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  neph::compare::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
