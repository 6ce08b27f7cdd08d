// A run's container as this machine sees it: its control group, which is watched from here.
#pragma once

#include <memory>

#include "experiment/experiment.hpp"

namespace neph::cli {

/// Null where the container's process is not to be found here. `clock` must outlive it.
std::unique_ptr<experiment::Onlooker> view_from_host(const launch::Child& child, const Clock& clock,
                                                     Moment origin);

}  // namespace neph::cli
