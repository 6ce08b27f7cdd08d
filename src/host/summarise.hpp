// Mean, maximum and minimum of telemetry over a stretch of time.
#pragma once

#include <vector>

#include "record/run.hpp"

namespace neph::host {

/// One summary per series, in their order. A point stands for the time since the point before it (the first
/// one for all time before, the last one also for all after). Points with at least half of their time in
/// [begin_s, end_s] count, weighted by the part of their time that lies inside; if there is none, the point
/// that covers most of the window does. Unavailable series stay so, with their reason.
std::vector<SeriesSummary> summarise(const std::vector<Series>& series, double begin_s, double end_s);

}  // namespace neph::host
