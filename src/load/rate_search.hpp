// The highest rate that keeps a promise: which rate to try next, and when it is found.
//
// What it does not do: send anything. Method: the rate is doubled while the promise holds, and halved while
// it does not, until it lies between two rates; then the middle (geometric) is tried until both are close.
// At each rate, probes are repeated until the share of late requests is shown to be below or above what the
// promise allows: a binomial test as MLPerf LoadGen's early stopping is one, on counts that are divided by
// the probes' design effect (stats::design_effect), because one late request in a queue makes others late.
// What is not shown after three probes does not hold. The rate that is left is probed afresh, because the
// best of many tries owes something to luck, and lowered until a fresh probe holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/findings.hpp"

namespace neph::load {

struct SearchRule {
  double start_per_s = 10;
  double closeness = 0.05;   ///< of the two rates that are left, relative
  double confidence = 0.95;  ///< of each rate's verdict
  int most_probes = 3;       ///< at one rate
  int most_rates = 40;
};

/// One measurement at one rate.
struct Probe {
  double rate_per_s = 0;
  Lateness lateness;
};

enum class Holds { not_shown, yes, no };
constexpr auto enum_names(Holds) {
  return std::array{Named{Holds::not_shown, "not shown"}, Named{Holds::yes, "holds"},
                    Named{Holds::no, "broken"}};
}

class RateSearch {
 public:
  RateSearch(const Promise& promise, const SearchRule& rule);

  /// The rate to probe next; empty: it is over.
  std::optional<double> next() const { return over_ ? std::nullopt : std::optional(rate_); }
  void learn(const Probe& probe);

  /// The highest rate that was shown to hold by a fresh probe; empty: none was.
  std::optional<double> held() const { return held_; }
  /// The lowest rate that did not.
  std::optional<double> broken() const { return broken_; }
  /// "120/s holds (3 of 2400 late), 240/s broken (...)", in the order tried.
  std::string story() const;
  /// Of the rate that was probed last: "120/s holds (3 of 2400 late)".
  std::string verdict() const;

  /// Requests in a probe that can show that the promise holds, if the share of late ones is a quarter of what
  /// is allowed.
  std::int64_t requests_needed() const;

 private:
  struct Trial {
    double rate_per_s = 0;
    std::int64_t late = 0, n = 0;
    double worth_late = 0, worth_n = 0;  ///< divided by the design effects
    int probes = 0;
    Holds holds = Holds::not_shown;
  };

  static std::string words_of(const Trial& trial);
  double doubt() const { return (1 - rule_.confidence) / rule_.most_probes; }
  Holds judge(const Trial& trial) const;
  void move_on(const Trial& trial);
  void go_to(double rate_per_s);

  const Promise promise_;
  const SearchRule rule_;
  std::vector<Trial> trials_;
  double rate_ = 0;
  bool confirming_ = false;
  bool over_ = false;
  std::optional<double> candidate_, held_, broken_;
};

}  // namespace neph::load
