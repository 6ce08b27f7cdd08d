// The load generator in the application's place: it asks a server for as many pictures, and does nothing
// else.
#pragma once

#include <cstdint>
#include <functional>

#include "workload/recogniser.hpp"
#include "workload/timeline.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

struct Asking {
  std::int64_t pictures = 0;   ///< of the measurement; whole requests are sent
  std::int64_t batch = 1;      ///< pictures in a request
  std::int64_t in_flight = 1;  ///< requests; the next is sent when one is answered
  double warmup_s = 0;
  double patience_s = 0;  ///< a request without an answer for so long has failed
};

/// Sends one request of random numbers again and again. Adds phases, samples, stages, figures and warnings to
/// `timeline` and `result`, by the names that the application's have. Errors: those of the connection;
/// unavailable when the user stops it.
Status ask_independently(const ServedModel& server, const Asking& asking, const Context& context,
                         const std::function<void(std::int64_t done, std::int64_t total)>& progress,
                         Timeline& timeline, RunResult& result);

}  // namespace neph::workload
