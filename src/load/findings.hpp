// What the samples of a run say: figures with intervals, stages, and every reason not to trust them.
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "load/drive.hpp"
#include "record/run.hpp"

namespace neph::load {

/// So many of a hundred requests are answered within the limit.
struct Promise {
  double q = 0.99;
  double limit_s = 0;  ///< 0: nothing is promised
};

struct Judging {
  bool closed = false;
  bool all_at_once = false;  ///< every request is scheduled for the first moment (MLPerf's Offline)
  bool in_bursts = false;    ///< several requests are scheduled for one moment, again and again
  bool by_count = false;     ///< the run ends with its last reply, not with the duration
  std::int64_t batch = 1;    ///< samples in a request
  std::int64_t in_flight = 0;
  Promise promise;
};

/// Fills figures, stages, warnings and samples of `result`. `origin_s`: second 0 of the schedule in the run's
/// time. Names and methods stand in docs/method/load.md.
void sum_up(const Measurement& measured, const Judging& judging, double origin_s, RunResult& result);

/// "3 unavailable, 2 timed out"; empty: all were answered.
std::string failures_in_words(const std::vector<Sample>& samples);

/// Requests that were not answered within the limit, or not at all, and how many samples of the run are worth
/// one independent one.
struct Lateness {
  std::int64_t late = 0;
  std::int64_t n = 0;
  double design_effect = 1;
};
Lateness lateness_of(const std::vector<Sample>& samples, double limit_s);

/// What the generator, its limits, the machine that it runs on or replies to nothing did to the figures;
/// empty: nothing that matters.
std::vector<Warning> generator_doubts(const Measurement& measured, const Judging& judging);
/// The first of them with which the run tells of the generator rather than of the server; nullptr: none.
const Warning* not_of_the_server(const std::vector<Warning>& doubts);

}  // namespace neph::load
