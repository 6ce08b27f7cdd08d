// The highest rate that keeps a promise: which rate to try next, and when it is found.
//
// What it does not do: send anything. Method: the rate is doubled while the promise holds, and halved while
// it does not, until it lies between two rates; then the middle (geometric) is tried until both are close.
// At each rate, measurements are repeated until the share of late requests is shown to be below or above what
// the promise allows: a binomial test as MLPerf LoadGen's early stopping is one, on counts that are divided
// by the measurements' design effect (stats::design_effect), because one late request in a queue makes others
// late. What is not shown after three measurements is inconclusive: the search goes on below it, and calls it
// nothing else. The rate that is left is probed afresh, because the best of many tries owes something to
// luck, and lowered until a fresh probe holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "load/findings.hpp"
#include "record/probe.hpp"

namespace neph::load {

struct SearchRule {
  double start_per_s = 10;
  double lowest_per_s = 0.01;  ///< lower rates are not tried
  double closeness = 0.05;     ///< of the two rates that are left, relative
  double confidence = 0.95;    ///< of each rate's verdict
  int most_measurements = 3;   ///< at one rate
  int most_rates = 40;
};

class RateSearch {
 public:
  RateSearch(const Promise& promise, const SearchRule& rule);

  /// The rate to measure next; empty: it is over.
  std::optional<double> next() const { return over_ ? std::nullopt : std::optional(rate_); }
  /// What a measurement at that rate showed, and how long its answers took.
  void learn(const Lateness& seen, std::span<const double> response_ms = {});

  /// The highest rate that a fresh probe met the promise at; empty: none did.
  std::optional<double> held() const { return held_; }
  /// The lowest rate at which the promise was shown to be broken.
  std::optional<double> violated() const { return violated_; }
  /// The highest rate that met the promise so far, and the lowest that was not shown to; empty: none yet.
  std::optional<double> candidate() const { return candidate_; }
  std::optional<double> ceiling() const { return ceiling_; }
  /// Whether what was measured elsewhere shows that the promise is broken.
  bool is_broken_by(const Lateness& seen) const;
  /// The highest rate that was met and that a later probe, of the same or a lower rate, violated: something
  /// changed meanwhile, or it was luck. Empty: none.
  std::optional<double> met_then_violated() const;
  /// Of the rates that were measured, in that order.
  const std::vector<Probe>& probes() const { return probes_; }

  /// Requests of a measurement that can show that the promise holds, if the share of late ones is a quarter
  /// of what is allowed.
  std::int64_t requests_needed() const;
  /// Measurements that are left if one tells at each rate; those of the rate in progress included.
  int least_left() const;

 private:
  /// What is known of the rate in progress.
  struct Trial {
    Probe probe;
    double worth_late = 0, worth_n = 0;  ///< divided by the design effects
    std::vector<double> response_ms;
  };

  double doubt() const { return (1 - rule_.confidence) / rule_.most_measurements; }
  double allowed() const { return 1 - promise_.q; }
  /// Of independent requests.
  Slo judge(double late, double n) const;
  std::int64_t requests_to_tell() const;
  void explain(Probe& probe) const;
  void move_on(const Probe& probe);
  void go_to(double rate_per_s, bool is_fresh = false);

  const Promise promise_;
  const SearchRule rule_;
  Trial trial_;
  std::vector<Probe> probes_;
  double rate_ = 0;
  int rates_ = 0;
  bool over_ = false;
  std::optional<double> candidate_;  ///< the highest that was met
  std::optional<double> ceiling_;    ///< the lowest that was not shown to be
  std::optional<double> held_, violated_;
};

}  // namespace neph::load
