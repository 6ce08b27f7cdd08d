// A batch's way to a server and back, in the stages of any request. Only for files of this module.
#pragma once

#include <algorithm>

#include "load/load.hpp"
#include "record/stages.hpp"
#include "workload/infer/batch_runner.hpp"

namespace neph::workload {

/// Without receive, which comes after the response, they add up to the response time; but for what a server
/// says that it took beyond that.
inline RequestTimes request_times(const InferTimes& times) {
  RequestTimes all{.receive_s = seconds(times.receive)};
  Nanoseconds told{};
  for (std::size_t i = 0; i < all.server_s.size(); ++i) {
    const auto time = times.server.*wire::timed_stages[i].time;
    all.server_s[i] = seconds(time);
    told += time;
  }
  // Not below nothing: the server tells in microseconds.
  const auto outside = std::max(Nanoseconds(0), times.done - times.issued - told);
  // A server on the same machine may begin, and even end, before the client's call to send returns: it has
  // taken the client's core. That time is the server's.
  const auto send = std::min(times.send, outside);
  all.send_s = seconds(send);
  all.outside_s = seconds(outside - send);
  return all;
}

}  // namespace neph::workload
