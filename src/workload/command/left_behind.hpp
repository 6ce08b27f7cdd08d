// Processes that a command started and that are still there when it has ended.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::workload::command {

/// From here on this process is the parent of orphans among its descendants, so that none gets lost.
void adopt_orphans();

struct Orphan {
  int pid = 0;
  std::string name;
};
/// Children of this process that live, without `but`.
std::vector<Orphan> children(int but);

/// Ends all children but `but` and what they started: SIGTERM, then SIGKILL when `grace_s` have passed. Takes
/// no longer than that and a second.
void end_children(int but, double grace_s);

}  // namespace neph::workload::command
