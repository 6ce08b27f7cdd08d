// One run: start the worker, give it its cell, hear it out, end it when it must end, judge how it ended.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace neph::experiment {

struct Made {
  Run run;
  Json machine;  ///< fingerprint of where it was made; null: the worker did not get so far as to tell
};

/// status, reason, times and result of the run are filled; the rest is the caller's. Errors: the command
/// cannot be started at all (that is no property of the cell).
Result<Made> run_worker(const std::string& workload, const Cell& cell, const Launch& launch,
                        Observer& observer, Interrupt& interrupt, const Clock& clock);

}  // namespace neph::experiment
