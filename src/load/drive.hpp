// Several workers at once: connects, encodes, starts them together, and collects what they measured.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "load/sample.hpp"
#include "load/schedule.hpp"
#include "load/sender.hpp"
#include "wire/wire.hpp"

namespace neph::load {

/// Ends a run early: when the interval of the q-quantile of the response times is no wider than `width`, as a
/// share of it, on either side.
struct Narrow {
  double q = 0.99;
  double width = 0;  ///< 0: never
};

struct DrivePlan {
  wire::Endpoint endpoint;
  wire::ClientOptions client;
  std::int64_t threads = 1;
  Course course;
  std::int64_t clients = 0;     ///< of a closed loop, in all
  Schedule schedule;            ///< open loop; empty: closed loop
  std::int64_t in_flight = 0;   ///< in all; 0: no limit
  double deadline_s = 0;        ///< 0: none
  double drain_timeout_s = 10;  ///< for what is in flight at the end, where there is no deadline
  Narrow narrow;
  std::vector<wire::TensorMetadata> outputs;  ///< of the model; empty: not known
  /// Asked about once a second: true ends the run, as nothing new can come of it.
  std::function<bool(const std::vector<Sample>& measured)> settled;
};

struct WorkerUse {
  ThreadUse thread;
  Nanoseconds measured{};
};

struct Measurement {
  Moment start;                      ///< of the schedule: what samples count from
  std::int64_t begin = 0;            ///< of what is measured, ns from start
  std::int64_t end = 0;              ///< of the sending, ns from start
  std::vector<Sample> samples;       ///< measured ones, by their scheduled times
  std::vector<Sample> carried_over;  ///< from the warm-up, ended later: they count in rates only
  std::vector<WorkerUse> workers;
  Nanoseconds process_cpu{};         ///< of the whole program, from the end of the warm-up on
  std::int64_t ended_meanwhile = 0;  ///< requests that ended while it used that
  std::int64_t most_in_flight = 0;
  std::int64_t held_back = 0;  ///< arrivals that waited because of the limit in flight, also those never sent
  std::int64_t stray_replies = 0;  ///< that came though no request was out
  std::int64_t scheduled = 0;      ///< measured arrivals of the schedule; closed loop: samples
  double offered_s = 0;            ///< length of a schedule with a duration; 0: until the last arrival
  std::string first_failure;  ///< why the first request failed of those that did, of one worker; empty: none
  bool narrow_enough = false;
  bool ended_early = false;  ///< narrow enough, or settled
  bool stopped = false;      ///< by the user
  /// Under way when the user stopped: the user's, and in no sample; and how long the oldest had waited.
  std::int64_t cut_off = 0;
  double cut_off_after_s = 0;
};

/// Threads: makes `threads` of its own, named "load-0", ...; `progress` is called in the caller's, with the
/// requests that have ended and those expected (0: not known). Errors: those of the connection and of
/// encoding; what happens to requests is data.
Result<Measurement> drive(const DrivePlan& plan, const std::vector<wire::InferRequest>& requests,
                          const Clock& clock, const std::stop_token& stop,
                          const std::function<void(std::int64_t done, std::int64_t total)>& progress);

}  // namespace neph::load
