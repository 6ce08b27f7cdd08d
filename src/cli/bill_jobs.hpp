// What `neph bill` bills: stages given one by one, or configurations of a stored experiment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bill_options.hpp"
#include "core/json.hpp"
#include "core/json_fwd.hpp"
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

struct BillTerms {
  price::Rule rule;
  price::Price price;
  std::optional<price::Offer> offer;
  bool is_spot = false;
  std::size_t fitting = 1;  ///< offers that the name fits, of which this is the cheapest
};

/// Side by side, in the order given. Errors: invalid_argument (no price, or two), not_found (a rule, an
/// offer).
Result<std::vector<BillTerms>> bill_terms(const BillOptions& options);

/// "azure/Standard_NC6@westus2, on demand, of vms.csv, prices of 2026-11-24"; empty: a price was given.
std::string offer_text(const BillTerms& terms);
/// The same for programs; null likewise.
Json offer_json(const BillTerms& terms);

}  // namespace neph::cli
