// One run: start the worker, give it its cell, hear it out, end it when it must end, judge how it ended.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace neph::experiment {

/// status, reason, started, wall_s and result of a Run are filled; the rest is the caller's. Errors: the
/// command cannot be started at all (that is no property of the cell).
Result<Run> run_worker(const std::string& workload, const Cell& cell, const Launch& launch,
                       Observer& observer, Interrupt& interrupt, const Clock& clock);

}  // namespace neph::experiment
