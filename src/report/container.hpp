// What a container costs: trainings and commands that ran bare and in one, in pairs that differ in nothing
// else.
#pragma once

#include <string>
#include <vector>

#include "report/effect.hpp"
#include "report/report.hpp"

namespace neph::report {

struct ContainerCost {
  std::string name;  ///< what both have in common; "all" where nothing else varies
  Match match;       ///< bare, in the container
  Estimate ratio;    ///< time in the container / bare, repeat by repeat
};

/// A row for each pair, by the factor `in`, in the order of the configurations.
std::vector<ContainerCost> container_costs(const Document& document);
/// Over all of these.
Estimate container_cost_over_all(const Document& document, const std::vector<ContainerCost>& costs);

/// Of a ratio of times: how many percent more it is.
struct PercentMore {
  std::string value, low, high;  ///< with as many decimals as the interval is worth; without a unit
};
PercentMore percent_more(const Estimate& ratio);

/// In words, and what the start in a container takes longer; empty where nothing ran in both.
std::vector<std::string> container_findings(const Document& document);

}  // namespace neph::report
