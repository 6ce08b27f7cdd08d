// Where sources put their readings. A source asks for its quantities once and then only adds to them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "record/run.hpp"
#include "record/telemetry.hpp"

namespace neph::host {

/// A quantity as it is at a moment: memory, temperature. Belongs to the Recorder that made it.
class Gauge {
 public:
  void record(Moment at, double value);
  /// Says why there is no reading. Readings that were taken before stay, and then the reason is not kept.
  void unavailable(std::string_view reason);

 private:
  friend class Recorder;
  friend class Rate;
  Gauge(Series& series, Moment origin) : series_(&series), origin_(origin) {}
  Series* series_;
  Moment origin_;
};

/// A quantity per second, from a counter that grows. `scale` turns the counter's steps into the unit.
class Rate {
 public:
  /// The counter's state now. The first call only remembers it. A counter that fell back (a process left the
  /// tree without being waited for) counts as unchanged. A reading very soon after the last one (a phase
  /// ended there) lengthens the last interval: over 3 ms a counter that moves in steps of 10 ms would show
  /// nonsense.
  void count(Moment at, double counter);
  void unavailable(std::string_view reason) { gauge_.unavailable(reason); }

 private:
  friend class Recorder;
  struct Reading {
    double counter;
    Moment at;
  };
  Rate(Gauge gauge, double scale, Nanoseconds shortest) : gauge_(gauge), scale_(scale), shortest_(shortest) {}
  double between(const Reading& from, const Reading& to) const;

  Gauge gauge_;
  double scale_;
  Nanoseconds shortest_;
  std::optional<Reading> begin_;  ///< of the last interval
  std::optional<Reading> last_;   ///< its end
};

class Recorder {
 public:
  /// `shortest`: intervals of rates below it are joined to the one before.
  explicit Recorder(Moment origin, Nanoseconds shortest = {}) : origin_(origin), shortest_(shortest) {}

  Gauge gauge(std::string_view target, const Metric& quantity);
  Rate rate(std::string_view target, const Metric& quantity, double scale = 1);
  /// Hands over all quantities. A quantity without a reading and without a reason gets one.
  std::vector<Series> take();

 private:
  Moment origin_;
  Nanoseconds shortest_;
  std::deque<Series> series_;  // a deque: quantities keep pointers into it
};

}  // namespace neph::host
