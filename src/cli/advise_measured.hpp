// What `neph advise` chooses from: an experiment of the store, or a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/advise.hpp"
#include "cli/advise_options.hpp"
#include "report/report.hpp"

namespace neph::cli {

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
