// The phases of a run, one after the other, told as they end.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "record/event.hpp"
#include "record/phases.hpp"

namespace neph::workload {

class Timeline {
 public:
  Timeline(const Clock& clock, Moment origin, EventSink& events)
      : clock_(clock), origin_(origin), events_(events) {}

  /// Seconds from the run's origin.
  double at(Moment moment) const { return seconds(moment - origin_); }
  double now() const { return at(clock_.now()); }

  /// No phase ends before it begins: one that would has no length. (What a schedule had left when all was
  /// answered belongs to the phase before, whose end is then still to come.)
  void add(const PhaseKind& kind, double begin_s, double end_s) {
    phases_.push_back({std::string(kind.name), begin_s, std::max(begin_s, end_s)});
    events_.emit(phases_.back());
  }

  /// Runs `body` as a phase and returns what it returns.
  template <class Body>
  auto during(const PhaseKind& kind, Body&& body) {
    const double begin_s = now();
    auto outcome = body();
    add(kind, begin_s, now());
    return outcome;
  }

  const std::vector<Phase>& phases() const { return phases_; }

 private:
  const Clock& clock_;
  Moment origin_;
  EventSink& events_;
  std::vector<Phase> phases_;
};

}  // namespace neph::workload
