// By what `neph bill` bills: a rule and a price, which a user gives or an offer has.
#pragma once

#include <optional>
#include <vector>

#include "cli/bill_options.hpp"
#include "core/json_fwd.hpp"
#include "core/result.hpp"
#include "price/price.hpp"

namespace neph::cli {

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
