// What more cores do to configurations that differ in nothing else.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

struct ScalingLevel {
  double cores = 0;
  const CellSummary* cell = nullptr;
  Estimate speedup;  ///< over the fewest cores, repeat by repeat; of those itself 1
};

/// At least two numbers of cores, rising.
struct Scaling {
  std::string name;  ///< what its configurations share: "batch 128"; "all" where nothing else varies
  std::vector<ScalingLevel> levels;

  double fewest() const { return levels.front().cores; }
  /// Of a level's speed-up what as many cores would have if each did as much as where they were fewest.
  double efficiency(const ScalingLevel& level) const {
    return level.speedup.value / (level.cores / fewest());
  }
};

/// There is an interval, and it is too wide to say whether more cores are faster.
bool is_inconclusive(const Estimate& speedup);

/// By the factor `threads`. Left out are configurations without a usable speed, those of "all threads", of
/// which nothing says how many they are, and those with more threads than cores.
std::vector<Scaling> scalings(const Document& document);

}  // namespace neph::report
