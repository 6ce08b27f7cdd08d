// What the switches of a framework change: trainings that differ in one of them, in pairs.
#pragma once

#include <string>
#include <vector>

#include "report/effect.hpp"
#include "report/recommendation.hpp"

namespace neph::report {

struct SwitchEffect {
  std::string field;            ///< "compile"
  std::string value, baseline;  ///< "on", "off"
  std::vector<Match> pairs;     ///< with `baseline`, with `value`; alike in all else
  Estimate speedup;             ///< how many times as fast with `value`, repeat by repeat
};

/// Of each value of a switch that is a factor, against the value that frameworks have by themselves. `cells`:
/// those of one network with one framework.
std::vector<SwitchEffect> switch_effects(const Document& document, const Cells& cells);

/// In words: of each network how its frameworks stand to the first; for each network and framework: which
/// switches pay and by how much, what those that pay together gain, and the lines of Python that set it.
/// Empty where no switch is a factor.
std::vector<std::string> switch_findings(const Document& document);

}  // namespace neph::report
