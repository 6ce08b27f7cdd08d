// When requests are sent: arrival times of an open loop, all made before the clock starts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::load {

/// closed: a client sends its next request when the last one has ended. The others are open loops, whose
/// arrivals do not heed replies: constant, equal gaps; poisson, exponential gaps, as independent users send;
/// burst, several at once; trace, as a file says.
enum class Arrival { automatic, closed, constant, poisson, burst, trace };
constexpr auto enum_names(Arrival) {
  return std::array{Named{Arrival::automatic, "auto"},    Named{Arrival::closed, "closed"},
                    Named{Arrival::constant, "constant"}, Named{Arrival::poisson, "poisson"},
                    Named{Arrival::burst, "burst"},       Named{Arrival::trace, "trace"}};
}

/// More arrivals than this need more memory than a load generator should have (8 bytes each, and 64 for what
/// becomes of it).
inline constexpr std::int64_t most_arrivals = 100'000'000;

/// From the first to the last arrival of a run: those before `warmup` are not measured.
struct Course {
  double rate_per_s = 0;
  double warmup_s = 0;
  double duration_s = 0;   ///< of what is measured
  std::int64_t count = 0;  ///< measured arrivals; 0: as many as fall into the duration
};

/// The duration of a course that ends by its count: it has all the time that it needs.
inline constexpr double no_end_s = 1e6;

using Schedule = std::vector<Nanoseconds>;  ///< from the start, ascending

/// `arrival` constant, poisson or burst (`burst` at once, so that the mean rate stays). The same seed gives
/// the same times on every machine, up to the last bit of its C library's logarithm. Errors:
/// invalid_argument: no rate, over most_arrivals.
Result<Schedule> make_schedule(Arrival arrival, const Course& course, std::int64_t burst, std::uint64_t seed);

/// Arrivals that were seen elsewhere: a line each, seconds since any moment, in order, other columns after a
/// comma; lines that begin with '#' and a heading are passed over. The first arrival is moved to 0; where the
/// course has a rate, gaps are stretched so that the mean rate is that. Ends with the trace, the course, or
/// its count. `what` names the file in errors: corrupt (no number, times that fall, no arrival at all).
Result<Schedule> read_trace(std::string_view text, std::string_view what, const Course& course);

/// Seconds from the end of the warm-up to the last arrival and its gap, which is taken to be as long as the
/// others: what a trace lasts. At most the course's duration; that where no two arrivals are apart.
double measured_length_s(const Schedule& schedule, const Course& course);

/// What the worker `index` of `count` sends: every count-th arrival.
Schedule slice(const Schedule& schedule, std::size_t index, std::size_t count);

}  // namespace neph::load
