// In what else two sides differ than in what is asked. Inside the module.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/matching.hpp"
#include "record/comparison.hpp"

namespace neph::compare {

/// Names that may be accepted.
std::vector<std::string> confound_names();

/// Those of the configurations that are compared, the ones that refuse first. What is `accepted` refuses
/// nothing, and is told all the same. `are_together`: what disturbs one side of a pair disturbs the other.
std::vector<Confound> confounds_of(std::span<const Match> matches, const std::vector<std::string>& accepted,
                                   bool are_together);

}  // namespace neph::compare
