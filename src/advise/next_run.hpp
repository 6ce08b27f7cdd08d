// What one more measurement would be worth. Only for files of this module.
#pragma once

#include <vector>

#include "advise/simulation.hpp"

namespace neph::advise {

/// Of each configuration that may be the best: what one more run of it costs, and what the best choice's
/// probability is then expected to be. That run is drawn from what is known now; with it the interval
/// narrows, and moves. The one that helps most first; none where nothing would change.
std::vector<NextRun> next_runs_of(const std::vector<Job>& jobs, const std::vector<Candidate>& candidates,
                                  const Choice& choice, const Chances& chances, const Request& request);

}  // namespace neph::advise
