// Recorded telemetry on a page: charts, a table of its figures, and what is to be said of each file.
#pragma once

#include <vector>

#include "record/recording.hpp"
#include "report/page/frame.hpp"

namespace neph::report {

/// Nothing without recordings.
void add_recordings(Page& page, const std::vector<Recording>& recordings);

}  // namespace neph::report
