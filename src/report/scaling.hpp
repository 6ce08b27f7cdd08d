// What more cores do to configurations that differ in nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "stats/stats.hpp"

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
  double most() const { return levels.back().cores; }
  /// Of a level's speed-up what as many cores would have if each did as much as where they were fewest.
  double efficiency(const ScalingLevel& level) const {
    return level.speedup.value / (level.cores / fewest());
  }
};

/// There is an interval, and it is too wide to say whether more cores are faster.
bool is_inconclusive(const Estimate& speedup);

/// Cores that a configuration kept busy that did not get as many as its threads: others held the rest, or
/// with fewer threads it kept more busy. Empty: it got them, or nothing is known.
std::optional<double> short_of_cores(const Document& document, const CellSummary& cell);

/// By the factor `threads`. Left out are configurations without a usable speed, those of "all threads", of
/// which nothing says how many they are, those with more threads than cores, and those short of cores.
std::vector<Scaling> scalings(const Document& document);

/// How many times as fast `candidate` is, repeat by repeat, whichever way the main metric counts.
Estimate times_as_fast(const Document& document, const CellSummary& baseline, const CellSummary& candidate);
/// Time per item, or of the whole, by the main metric.
std::optional<double> time_of(const Document& document, const Run& run);

/// Amdahl's law and Gunther's, where there are enough numbers of cores.
struct ScalingLaws {
  std::optional<stats::ScalingFit> amdahl, universal;

  bool are_fitted() const { return amdahl && universal; }
  /// The simpler that describes the times: the universal where it is shown that cores cost each other time
  /// so that it is fastest below twice the most that were measured, or where Amdahl's does not describe them.
  /// nullptr: neither does, or none is fitted.
  const stats::ScalingFit* told() const;
};
ScalingLaws laws_of(const Document& document, const Scaling& scaling);

}  // namespace neph::report
