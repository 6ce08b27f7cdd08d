// Pairs that are measured one after the other, until it can be said which side is better.
#pragma once

#include <cstdint>
#include <vector>

#include "core/estimate.hpp"
#include "record/comparison.hpp"
#include "stats/difference.hpp"
#include "stats/spending.hpp"

namespace neph::stats {

/// Looks after each pair from the fifth on (of more than 50 after each that makes them 2 % more). A thing is
/// called better or worse than itself with a probability of at most `level`, however often it looks; a
/// difference of the threshold is called equivalent with at most 5 %.
///
/// Limits are those of spending.hpp, as p values of Student's t (Jennison, Turnbull 2000, section 4.4). The
/// plan is 1.3 times as many pairs as a single t test needs that finds a difference of the threshold with a
/// probability of nine in ten, by the spread that was seen until now (information-based monitoring: Mehta,
/// Tsiatis, Drug Inf. J. 35, 2001). Then all is spent, and what is not decided stays so.
class PairsUntilDecided {
 public:
  /// `threshold` > 0; no more than `most` pairs will come.
  PairsUntilDecided(double threshold, bool higher_is_better, double level, std::int64_t most);

  /// Nothing, where all is said. A pair without a ratio ends it undecided, unless all are of zeros.
  void add(const Pair& pair);

  /// Those that were taken: the first ones until all was said.
  std::int64_t pairs() const { return static_cast<std::int64_t>(pairs_.size()); }
  Outcome outcome() const { return outcome_; }
  /// Nothing more will be said.
  bool is_over() const { return is_over_; }
  /// 0: the spread is not known yet.
  std::int64_t planned() const { return planned_; }
  /// candidate / baseline. Until it is decided with a repeated interval, which holds at all looks at once
  /// with more than 1 - `level`: with as much less as is not spent (Jennison, Turnbull, J. R. Statist. Soc. B
  /// 51, 1989). Then by its stage: Student's at the first look, before which nothing could have stopped it;
  /// a wider one of his at later looks, or the repeated one where that is narrower.
  Estimate ratio() const;

 private:
  void look();
  std::int64_t plan(const Difference& seen) const;

  double threshold_;
  bool higher_is_better_;
  std::int64_t most_;
  std::vector<Pair> pairs_;
  SpendingLimits of_difference_, of_equivalence_;
  std::int64_t planned_ = 0, next_look_;
  double errors_ = 0;  ///< of the last look: half of the interval in standard errors; 0: no look yet
  Outcome outcome_ = Outcome::undecided;
  bool is_over_ = false;
};

/// How many pairs find a difference of the threshold so, were their logarithms' deviation known; at most
/// `most`.
std::int64_t pairs_planned(double threshold, double deviation, std::int64_t most);

}  // namespace neph::stats
