// What the search for the highest rate that meets a latency objective (SLO) found out at one rate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/estimate.hpp"

namespace neph {

/// Whether the share of late requests was shown to be below or above what the SLO allows. Neither is no
/// verdict on the server.
enum class Slo { inconclusive, met, violated };
constexpr auto enum_names(Slo) {
  return std::array{Named{Slo::inconclusive, "inconclusive"}, Named{Slo::met, "met"},
                    Named{Slo::violated, "violated"}};
}

struct Probe {
  double rate_per_s = 0;
  Slo outcome = Slo::inconclusive;
  /// A confirming probe, since the best of many tries owes something to luck: of the best rate, or of the
  /// next lower where that one was not confirmed.
  bool is_fresh = false;
  std::int64_t measurements = 0;
  std::int64_t late = 0;      ///< requests that were not answered within the limit, or not at all
  std::int64_t requests = 0;  ///< of all measurements
  double percentile = 99;     ///< the SLO's
  Estimate response_ms;       ///< that percentile of the answered ones; of no value: none was answered
  std::int64_t requests_to_tell = 0;  ///< if as many go on being late; 0: it is told, or none would do
  std::string undecided;              ///< why; empty: it is told
};

template <class Visit, Describes<Probe> Self>
void describe(Visit&& v, Self& s) {
  v("rate_per_s", s.rate_per_s, "requests per second of the schedule");
  v("outcome", s.outcome, "of the SLO at this rate");
  v("is_fresh", s.is_fresh,
    "a confirming probe: of the best rate, or of the next lower where that was not confirmed");
  v("measurements", s.measurements, "at this rate");
  v("late", s.late, "requests that were not answered within the limit");
  v("requests", s.requests, "requests in all");
  v("percentile", s.percentile, "the SLO's");
  v("response_ms", s.response_ms, "that percentile of the response time");
  v("requests_to_tell", s.requests_to_tell,
    "requests that would tell, if the share of late ones stays; 0: none, or told");
  v("undecided", s.undecided, "why it is inconclusive");
}

/// "49.6/s inconclusive (0 of 320 late, p99 12.1 ms (11.8 to 12.6); 473 requests would tell)". A percentile
/// without an interval is none: "p99 too few (needs 299)".
std::string probe_words(const Probe& probe);

/// "met at 44.1 requests/s; inconclusive at 49.6 (0 of 320 late; 473 requests would tell); violated at 58.0":
/// the highest rate that was met below all that were violated, and the lowest that were not; "" of no probes.
std::string slo_words(const std::vector<Probe>& probes);
/// The same of a search, which may have ended before a fresh probe confirmed the rate: then it says so.
std::string search_words(const std::vector<Probe>& probes);

}  // namespace neph
