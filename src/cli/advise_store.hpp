// A store's experiment as configurations to choose from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/advise.hpp"
#include "cli/advise_options.hpp"
#include "report/report.hpp"

namespace neph::cli {

/// Each cell that meets the conditions NAME=VALUE, with what one job of it takes and uses. Errors:
/// invalid_argument (what was done differs between the cells, so that they are no choice), not_found (no such
/// factor, or no cell left).
Result<std::vector<advise::Configuration>> configurations_of(const report::Document& document,
                                                             const std::vector<std::string>& where);

/// Each cell with the rate that one machine sustains, its 99th percentile of the latency within `p99_s`; 0:
/// no limit. Errors: as of configurations_of().
Result<std::vector<advise::Capacity>> capacities_of(const report::Document& document,
                                                    const std::vector<std::string>& where, double p99_s);

struct Measured {
  std::string source, noun = "job";
  std::vector<advise::Configuration> configurations;
  std::vector<std::string> notes;
};

/// Errors: of the store or the table; invalid_argument (options that belong to the other).
Result<Measured> measured_by(const AdviseOptions& options);

/// `id` 0: the newest.
Result<report::Document> experiment_of(const AdviseOptions& options, std::int64_t id);

}  // namespace neph::cli
