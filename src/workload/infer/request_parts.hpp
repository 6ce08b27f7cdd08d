// The pieces of a request's way, in order. Only for files of this room.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "workload/infer/batch_runner.hpp"

namespace neph::workload {

/// What the server does not tell is in transport, with the network and whatever nobody has an account of.
/// The parts, receive left out, add up to the response time.
struct RequestPart {
  std::string_view name;
  Nanoseconds (*of)(const InferTimes&);
};

/// Those that are known of these requests, none of them in-process: the server's own only where it tells of
/// them, the client's only where it does something.
std::vector<RequestPart> known_parts(std::span<const InferTimes> requests, bool served);

}  // namespace neph::workload
