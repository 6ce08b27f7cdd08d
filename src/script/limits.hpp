// How long a sum of money lasts. Only for files of this module; others include script/script.hpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.hpp"
#include "price/price.hpp"

namespace neph::script {

struct Limit {
  std::int64_t seconds = 0;  ///< from the machine's start; 0: none
  /// Where steps of the clock are paid: their length. `seconds` is then from the begin of the first of them.
  std::int64_t clock_s = 0;
};

/// "5USD", "500 RUB", "$5". Errors: invalid_argument (no number, no currency, not above 0).
Result<price::Price> parse_budget(std::string_view text);

/// The longest time of which the bill is at most `budget`, in whole steps of the rule. Errors:
/// invalid_argument (another currency than the price's, a price of 0, less than the rule bills at the least).
Result<Limit> limit_of(const price::Rule& rule, const price::Price& price, const price::Price& budget);

}  // namespace neph::script
