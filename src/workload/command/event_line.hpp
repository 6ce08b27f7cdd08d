// Lines of the pipe NEPH_EVENTS (docs/EVENTS.md): what a command, or the hooks in it, say of themselves.
#pragma once

#include <string_view>

#include "core/result.hpp"
#include "workload/command/told.hpp"

namespace neph::workload::command {

/// The stretch that moments of the command can lie in.
struct Lifetime {
  double begin_s = 0;
  double now_s = 0;  ///< also the moment of what tells none
};

/// Errors: corrupt (no JSON object), invalid_argument (unknown word, a moment outside of the lifetime: it is
/// another clock's).
Result<Told> read_event(std::string_view line, const Lifetime& life);

}  // namespace neph::workload::command
