// A bill for people and programs. Only for files of this module; others include price/price.hpp.
#pragma once

#include <string>

#include "core/json_fwd.hpp"
#include "core/result.hpp"
#include "price/bill.hpp"

namespace neph::price {

/// {"rule", "price", "start", "total": {"amount", "currency"}, "vat", "billed_s", "exact_s", "paid_until",
/// "lines"}; amounts are decimal texts. The line "rounding" has a length below 0 where rounding is down, and
/// no "known". Errors: not_found (the rule's time zone).
Result<Json> bill_json(const Rule& rule, const Price& price, const Bill& bill);

/// "gcp (Google Compute Engine)" and, in a line below it, where and when the rule was read, and whether that
/// was the provider's own word.
std::string rule_text(const Rule& rule);

/// The ledger as a table, and what rounding came to in a sentence. Errors: as of bill_json().
Result<std::string> bill_text(const Rule& rule, const Price& price, const Bill& bill);

}  // namespace neph::price
