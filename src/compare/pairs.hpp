// Two things measured in turns, pair by pair, until it can be said which is better.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "compare/sides.hpp"
#include "core/clock.hpp"

namespace neph::compare {

struct PairsOptions {
  CompareOptions compare;
  double budget_s = 600;          ///< no pair begins that would end later
  std::int64_t most_pairs = 100;  ///< no more than these
  std::int64_t warmup = 1;        ///< pairs before them that do not count
  std::uint64_t seed = 1;         ///< of which side goes first in a pair
};

enum class Side { baseline, candidate };

/// Measures a side once: one run of each configuration, or several, which count as one.
using Measure = std::function<Result<Source>(Side)>;

struct PairsSoFar {
  Comparison comparison;
  double elapsed_s = 0;
  double pair_s = 0;  ///< what one takes, on average
};
/// Called after each pair, of the warm-up too, when there is no comparison yet (no pairs); false: no more.
using OnPair = std::function<bool(const PairsSoFar&)>;

/// Looks after each pair from the fifth on, by group-sequential limits (stats/sequential.hpp): however many
/// looks there are, a thing is called better or worse than itself at most 1 time in 20. Ends when every row
/// is decided, when the pairs that were planned for the threshold are made, at `most_pairs`, or when the
/// budget does not hold another. Errors: those of `measure` and of compare(); invalid_argument (fewer than
/// two pairs, no budget).
Result<Comparison> compare_in_pairs(const PairsOptions& options, const Measure& measure,
                                    const OnPair& on_pair, const Clock& clock);

}  // namespace neph::compare
