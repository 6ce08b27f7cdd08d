// What `neph bill` bills: stages given one by one, or configurations of a stored experiment.
#pragma once

#include <string>
#include <vector>

#include "cli/bill_options.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "price/price.hpp"

namespace neph::cli {

struct BilledJob {
  std::string name;             ///< of the configuration; empty: stages were given
  std::string heading;          ///< "experiment 12, batch 8 (5 runs)"; empty likewise
  price::Hire hire;             ///< whose begins are not known yet
  Json about = Json::object();  ///< "experiment", "cell", "configuration", "runs" or "run"
};

/// Errors: of the store; not_found (no such configuration, none with a run that ended well); of stages.
Result<std::vector<BilledJob>> billed_jobs(const BillOptions& options);

}  // namespace neph::cli
