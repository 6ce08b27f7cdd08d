// The difference of two sides in logarithms: what is known of it, and what may be said.
//
// Tests on logarithms for the reason that compare.hpp has: a ratio becomes a difference, whose interval is
// always proper and is the inverse one when the sides change places.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/estimate.hpp"
#include "core/percentile.hpp"
#include "record/comparison.hpp"
#include "stats/compare.hpp"

namespace neph::stats {

struct Difference {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< log(candidate / baseline)
  std::optional<double> standard_error;                     ///< empty: too few for one
  double degrees = 0;  ///< of freedom of that, not necessarily whole (Welch)
  std::int64_t n = 0;  ///< pairs, or runs of both sides
};

/// Of pairs: the mean of the ratios' logarithms; of zeros alone none.
Difference difference_of_pairs(std::span<const Pair> pairs);
/// Of two samples that have nothing in common (Welch, Biometrika 34, 1947); of zeros alone none.
Difference difference(std::span<const double> baseline, std::span<const double> candidate);
/// Of two means with Student's 95 % intervals, n samples each; the logarithm's error by the delta method.
Difference difference(const Estimate& baseline, const Estimate& candidate);

/// The ratio with its interval.
Estimate ratio_of(const Difference& difference, double confidence = kConfidence);

/// Student's t test, two-sided. NaN: nothing is known. 0 or 1 where no value differs from another.
double p_no_difference(const Difference& difference);
/// That the ratio lies outside 1 / (1 + threshold) to 1 + threshold: the larger p of two one-sided tests
/// (Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987).
double p_not_equivalent(const Difference& difference, double threshold);

/// 0.03: had the sides differed by 3 %, a test like this one at level `of_difference` would have shown it 8
/// times in 10. NaN: nothing is known of the spread.
double smallest_effect(const Difference& difference, double of_difference = 0.05);

/// What is asked of a difference.
struct Question {
  double threshold = 0;
  bool is_paired = false;
  double level = 0.05;  ///< of the test of no difference; less where there are several
};
/// Pairs, or runs of each side, in all, with which that test or the one of equivalence is expected to decide
/// (power 0.8), were the difference and its spread what was seen; more than there are. As rough as these.
/// Empty: more than `most`, or nothing is known.
std::optional<std::int64_t> number_to_decide(const Difference& difference, const Question& question,
                                             std::int64_t most);

/// p values of a family of tests, each so adjusted that those at or below 0.05 are wrong in at most 5 % of
/// families (Holm, Scand. J. Statist. 6, 1979). NaN stays NaN and is no test.
std::vector<double> holm(std::span<const double> p);

/// By record/comparison.hpp. `p`: of no difference, adjusted.
Outcome judge(const Difference& difference, double p, double threshold, bool higher_is_better);

}  // namespace neph::stats
