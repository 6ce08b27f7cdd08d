// What one run measured, by itself: what two results are compared by, run by run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// What the run told, and of one that ended well also what its configuration has as latency_ms and telemetry:
/// latency_p50_ms (of its own batches, where they are known and many enough for an interval),
/// peak_memory_bytes, cpu_ms_per_item. Values may be NaN; what was not measured is not there.
std::vector<std::pair<std::string, double>> figures_of(const Document& document, const Run& run);

}  // namespace neph::report
