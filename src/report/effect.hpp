// What changing one thing does, everything else being equal: configurations in pairs, compared repeat by
// repeat.
//
// A repeat is a block in which every configuration ran once (docs/adr/0003-randomised-blocks.md): what the
// machine did in that block, both members of a pair felt. Several pairs give one effect: in each repeat the
// mean over the pairs (of logarithms for a ratio), and over the repeats Student's t interval, the repeats
// being what is independent, not the pairs; but no narrower than the pairs' own spread over the repeats
// allows (stats::mean_over_blocks).
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "report/report.hpp"
#include "stats/stats.hpp"

namespace neph::report {

/// Of one run; empty: this run cannot tell. Values are positive where ratios are taken.
using Quantity = std::function<std::optional<double>(const Run&)>;

struct Match {
  const CellSummary* baseline;
  const CellSummary* candidate;
};

/// All pairs of usable configurations that are alike but for the factors `apart`.
std::vector<Match> matches(const Document& document,
                           const std::function<bool(const CellSummary&)>& is_baseline,
                           const std::function<bool(const CellSummary&)>& is_candidate,
                           const std::vector<std::string_view>& apart);

/// candidate / baseline. n: repeats. A pair that lacks one of the repeats is left out.
stats::Ratio ratio_of(const Document& document, const std::vector<Match>& matches, const Quantity& quantity,
                      stats::Better better);

/// Of the main metric, whichever of its directions is the good one.
stats::Ratio speed_ratio_of(const Document& document, const std::vector<Match>& matches);

/// candidate - baseline in the quantity's unit. n: repeats.
Estimate difference_of(const Document& document, const std::vector<Match>& matches, const Quantity& quantity);

/// The quantity's mean over the runs of a cell that ended well.
Estimate mean_of(const Document& document, const CellSummary& cell, const Quantity& quantity);

/// The interval leaves out `nothing`: 0 for a difference, 1 for a ratio.
bool shown(const Estimate& estimate, double nothing);

}  // namespace neph::report
