// Two cells side by side: how many times as much the candidate reaches.
//
// Ratios are of geometric means, because only they give the inverse when the cells change places (Fleming,
// Wallace, Comm. ACM 29(3), 1986). A value that is not positive leaves the ratio unknown (NaN, n 0).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/describe.hpp"
#include "core/estimate.hpp"
#include "record/metric.hpp"

namespace neph::stats {

/// Probability with which pairs_to_show() pairs show the difference.
inline constexpr double kPower = 0.8;

using neph::Better;

enum class Change { faster, slower, not_shown };
constexpr auto enum_names(Change) {
  return std::array{Named{Change::faster, "faster"}, Named{Change::slower, "slower"},
                    Named{Change::not_shown, "no difference shown"}};
}

struct Ratio {
  Estimate ratio;  ///< candidate / baseline
  Change change = Change::not_shown;
};

template <class Visit, Describes<Ratio> Self>
void describe(Visit&& v, Self& s) {
  v("ratio", s.ratio, "candidate / baseline");
  v("change", s.change, "what the interval shows; it holds 1: no difference shown");
}

/// The same repeat (block, seed, moment) of both cells.
struct Pair {
  double baseline = 0;
  double candidate = 0;
};

/// Geometric mean of the pairs' ratios with Student's t interval over their logarithms: what both members of
/// a pair share (drift of the machine, the pictures) cancels. n: pairs, at least 2 for an interval.
Ratio compare_pairs(std::span<const Pair> pairs, Better better);

/// The same of several sets of pairs that were measured side by side, each once in every block:
/// mean_over_blocks() of the logarithms. n: blocks.
Ratio compare_blocks(std::span<const std::vector<Pair>> sets, Better better);

/// How many pairs a new comparison must have to show the ratio with a probability of kPower, were it, and the
/// spread of the pairs' logarithms, what compare_pairs() saw: the fewest at which Student's t test has that
/// power (noncentral t: Johnson, Welch, Biometrika 31, 1940). Empty: more than `most`, or nothing was seen
/// (no interval). It is as rough as what was seen: with few pairs the spread itself is known to a factor
/// only.
std::optional<std::int64_t> pairs_to_show(const Estimate& seen, std::int64_t most);

/// Ratio of the geometric means with Welch's t interval over the logarithms (Welch, Biometrika 34, 1947): the
/// spread of times and rates is multiplicative, and on logarithms a ratio is a difference, whose interval is
/// always proper, where Fieller's for the ratio of plain means can be unbounded. n: samples of both, at least
/// 2 of each for an interval.
Ratio compare(std::span<const double> baseline, std::span<const double> candidate, Better better);

}  // namespace neph::stats
