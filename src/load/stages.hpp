// Where a request's time goes: the client's stages, the server's own, the network, and what none of them
// explains. They add up to the response time.
#pragma once

#include <vector>

#include "load/sample.hpp"
#include "record/run.hpp"

namespace neph::load {

/// Adds stages (issue, connect, network, server_queue, ..., receive, unexplained) over the answered samples,
/// and, where the server tells of its own, the figure unexplained_share. `network` is the least that any
/// request spent outside of both programs; what others spent beyond it is unexplained: waiting in the kernel,
/// for a core, in a part of the server that it does not measure.
void add_stages(const std::vector<Sample>& samples, RunResult& result);

}  // namespace neph::load
