// How long an experiment will take, from short probe runs of its cells.
#pragma once

#include "cli/plan.hpp"
#include "core/clock.hpp"
#include "experiment/experiment.hpp"

namespace neph::cli {

/// Probes up to eight cells with small runs that are stored nowhere, and prints how long a run of each takes
/// and all of them together.
Status print_estimate(const Plan& plan, const experiment::Launch& launch, experiment::Interrupt& interrupt,
                      const Clock& clock);

}  // namespace neph::cli
