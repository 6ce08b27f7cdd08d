// Two sides of stored results, matched by configuration and metric, with a verdict for each. Inside the
// module: others use compare/compare.hpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/source.hpp"
#include "record/comparison.hpp"

namespace neph::compare {

struct CompareOptions {
  double threshold = 0.03;            ///< share that a difference must have to matter; > 0
  std::vector<std::string> metrics;   ///< objectives (speed, p99, memory, cpu, cost) or names; empty: speed
  std::vector<std::string> accepted;  ///< differences that are meant: "machine", "precision"
  std::filesystem::path noise;        ///< file of the machine's noise (noise.hpp); empty: it is not heeded
};

/// Errors: invalid_argument (no such metric: names those that both have; no such confound).
Result<Comparison> compare(const Source& baseline, const Source& candidate, const CompareOptions& options);

}  // namespace neph::compare
