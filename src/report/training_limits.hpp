// What keeps trainings and commands from being faster: cores, input, fixed cost of a step, GPU, memory
// bandwidth; only from what was measured, else "undecided".
#pragma once

#include <string>
#include <vector>

#include "report/recommendation.hpp"
#include "report/report.hpp"

namespace neph::report {

/// What competes: the same network on the same data, by name; in the order of the configurations.
struct TrainingGroup {
  std::string name;  ///< "resnet50 on cifar10"; empty where neither varies
  Cells cells;       ///< the fastest first
};
std::vector<TrainingGroup> training_groups(const Document& document);

/// Of the fastest configuration of each group and device; at most four.
std::vector<std::string> limit_findings(const Document& document);

}  // namespace neph::report
