// What `neph bill` shows: a ledger of each bill, and several bills side by side.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/bill_jobs.hpp"

namespace neph::cli {

/// One job by one rule.
struct MadeBill {
  const BilledJob* job = nullptr;
  const BillTerms* terms = nullptr;
  price::Priced priced;
  std::vector<price::Minutes> sweep;  ///< of the minutes of an hour; empty: not asked for
};

/// A document for each. Errors: as of bill_json().
Result<Json> made_json(const MadeBill& made);

/// All in a line each: what differs of configuration and rule, time that is paid, total, until when.
Result<std::string> comparison(std::span<const MadeBill> bills);

/// What all of several bills share: their offers and rules, and what is assumed.
std::string shared_text(std::span<const MadeBill> bills);

/// The whole ledger, with what is assumed and how sure it is.
Result<std::string> made_text(const MadeBill& made);

}  // namespace neph::cli
