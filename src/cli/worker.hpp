// `neph worker`: one run in a process of its own, told on standard input, heard on standard output.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::cli {

/// Program and arguments that start a worker of this very program.
std::vector<std::string> worker_command();

/// Reads {"workload","spec","started_s","clock"} from standard input, runs it, and writes events as lines
/// (record/event.hpp).
Status work();

}  // namespace neph::cli
