// Which columns say anything at all: of a table of very many, candidates look at some (Sight).
#pragma once

#include <vector>

#include "predict/candidate.hpp"

namespace neph::predict {

/// Whether one candidate at least looks at it.
struct LookedAt {
  std::vector<bool> numbers;  ///< of the ranged ones
  std::vector<bool> categories;
};
LookedAt looked_at(const std::vector<Candidate>& candidates, const Design& design);

}  // namespace neph::predict
