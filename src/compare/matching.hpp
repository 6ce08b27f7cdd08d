// Which configuration of one side is compared with which of the other. Inside the module.
#pragma once

#include <string>
#include <vector>

#include "compare/source.hpp"

namespace neph::compare {

struct Match {
  std::string label;
  const Configuration* baseline = nullptr;
  const Configuration* candidate = nullptr;
};

struct Matching {
  std::vector<Match> both;
  std::vector<std::string> only_baseline, only_candidate;  ///< labels
};

/// By label, in the baseline's order. Where each side has one configuration, these two, whatever they are
/// called. Both sources outlive the result.
Matching match(const Source& baseline, const Source& candidate);

}  // namespace neph::compare
