// How long an experiment will take: as its description tells, or else from short trials of its cells.
#pragma once

#include "cli/plan.hpp"
#include "core/clock.hpp"
#include "experiment/experiment.hpp"

namespace neph::cli {

/// Prints how long a run of each cell takes and all of them together. Where only a trial tells, up to eight
/// cells are tried with small runs that are stored nowhere.
Status print_estimate(const Plan& plan, const experiment::Launch& launch, experiment::Interrupt& interrupt,
                      const Clock& clock);

}  // namespace neph::cli
