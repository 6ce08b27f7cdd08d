// What is odd about the points of a table.
#pragma once

#include <vector>

#include "predict/survey.hpp"

namespace neph::predict {

/// - faster than linear: the target falls by more than a number grows, all else the same. A machine that is
///   twice as large is at most twice as fast, but for caches.
/// - a missing corner: two columns whose largest values never meet, though most other pairs of their values
///   do: often such runs did not fit into the memory, and what is predicted there may not be able to run.
std::vector<Finding> oddities(const Points& points);

}  // namespace neph::predict
