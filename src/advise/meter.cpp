#include "advise/meter.hpp"

#include <algorithm>
#include <cmath>

namespace neph::advise {
namespace {

constexpr double nanosecond_s = 1e-9;  ///< a sum of doubles that is no further over a step has not begun it

void add(const Segment& part, Segment& sum) {
  sum.fixed_s += part.fixed_s;
  sum.assumed_s += part.assumed_s;
  sum.share += part.share;
}

}  // namespace

Result<Meter> Meter::of(const price::Rule& rule, price::Instant begin, std::span<const Segment> segments) {
  Meter meter;
  meter.step_s_ = static_cast<double>(rule.step_s);
  meter.minimum_s_ = static_cast<double>(rule.minimum_s);
  meter.rounds_up_ = rule.rounding == price::Rounding::up;
  meter.is_minimum_per_bill_ = rule.minimum_per == price::MinimumPer::bill;
  meter.is_by_clock_ = rule.align == price::Align::clock;
  if (meter.is_by_clock_) {
    NEPH_TRY(const auto step, price::period_begin(begin, std::chrono::seconds(rule.step_s), rule.time_zone));
    meter.since_step_s_ = seconds(begin - step);
  }
  Segment before;
  bool goes_on = false;
  for (const auto& segment : segments) {
    const bool is_billed = rule.billed.pays(segment.stage);
    if (is_billed && !goes_on) meter.runs_.push_back({.before = before, .paid = {}});
    if (is_billed) add(segment, meter.runs_.back().paid);
    goes_on = is_billed;
    add(segment, before);
  }
  return meter;
}

double Meter::in_steps(double seconds) const {
  if (step_s_ == 0) return seconds;
  const double steps = seconds / step_s_, slack = nanosecond_s / step_s_;
  return step_s_ * (rounds_up_ ? std::ceil(steps - slack) : std::floor(steps + slack));
}

double Meter::on_the_clock(double job_s, double times, double exact) const {
  double paid = 0, until = 0;  // steps since the one in which the machine was started
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const auto& run = runs_[i];
    const double begin = since_step_s_ + run.before.length(job_s, times);
    double end = begin + run.paid.length(job_s, times);
    if (i + 1 == runs_.size() && !is_minimum_per_bill_) end += std::max(0.0, minimum_s_ - exact);
    const double first = std::floor((begin + nanosecond_s) / step_s_);
    const double last = std::ceil((end - nanosecond_s) / step_s_);
    if (last > until) paid += last - std::max(first, until);
    until = std::max(until, last);
  }
  return step_s_ * paid;
}

double Meter::billed_s(double job_s, double times) const {
  double exact = 0;
  for (const auto& run : runs_) exact += run.paid.length(job_s, times);
  if (exact <= 0) return is_minimum_per_bill_ || runs_.empty() ? 0 : in_steps(minimum_s_);
  if (!is_by_clock_) return in_steps(std::max(exact, minimum_s_));
  const double paid = on_the_clock(job_s, times, exact);
  return is_minimum_per_bill_ ? std::max(paid, in_steps(minimum_s_)) : paid;
}

}  // namespace neph::advise
