// `neph worker`: one run in a process of its own, told on standard input, heard on standard output.
#pragma once

#include "core/result.hpp"

namespace neph::cli {

/// Reads its order from standard input (record/order.hpp), runs it, and writes events as lines
/// (record/event.hpp).
Status work();

}  // namespace neph::cli
