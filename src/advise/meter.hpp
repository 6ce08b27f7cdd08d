// The time that a rule makes one pay for, fast: for simulations, in doubles. What is shown comes from
// price::bill(). Only for files of this module.
#pragma once

#include <span>
#include <vector>

#include "price/price.hpp"

namespace neph::advise {

/// A stage as a part that is fixed, a part that is assumed, and a share of the job's time.
struct Segment {
  BillStage stage{};
  double fixed_s = 0;
  double share = 0;
  double assumed_s = 0;

  /// Where the job takes `job_s`, and what is assumed so many times as long.
  double length(double job_s, double times = 1) const { return fixed_s + times * assumed_s + share * job_s; }
};

/// Of one start of a machine. It agrees with price::bill() to the step, but where the clock is moved in
/// between.
class Meter {
 public:
  /// Errors: not_found (the rule's time zone).
  static Result<Meter> of(const price::Rule& rule, price::Instant begin, std::span<const Segment> segments);

  /// Paid where the job takes `job_s`, and what is assumed so many times as long.
  double billed_s(double job_s, double times = 1) const;

 private:
  /// Billed time without a gap.
  struct Run {
    Segment before, paid;
  };
  double in_steps(double seconds) const;
  double on_the_clock(double job_s, double times, double exact) const;

  std::vector<Run> runs_;
  double step_s_ = 0, minimum_s_ = 0, since_step_s_ = 0;
  bool rounds_up_ = true, is_by_clock_ = false, is_minimum_per_bill_ = false;
};

}  // namespace neph::advise
