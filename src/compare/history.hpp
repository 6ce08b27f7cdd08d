// The same question over time: where its answers began to lie elsewhere.
#pragma once

#include <string>
#include <vector>

#include "compare/source.hpp"
#include "record/comparison.hpp"

namespace neph::compare {

/// One experiment of a store.
struct PastExperiment {
  std::int64_t id = 0;
  std::string created;  ///< UTC
  std::string version;  ///< of neph
  Source source;
};

/// Experiments, the oldest first, as one line for each configuration and machine: what asked the same of the
/// same machine. Changes are found by E-divisive (stats/change_points.hpp) in the logarithms of the means,
/// from six points on. `metric`: an objective or a name. Errors: not_found (no experiment has it; names those
/// that there are).
Result<History> history_of(const std::vector<PastExperiment>& experiments, const std::string& metric);

}  // namespace neph::compare
