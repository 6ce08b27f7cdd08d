// Rates between currencies, which only the user knows: prices in two of them are not compared without one.
// Only for files of this module; others include price/price.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "price/money.hpp"
#include "price/offer.hpp"

namespace neph::price {

/// What --rate says, for the help of each verb that has it.
inline constexpr std::string_view rate_help =
    "what one unit of a currency is worth: EUR=1.08USD; prices in two currencies are not compared without it";

/// One `from` is worth `value` of `to`.
struct Rate {
  std::string from, to;
  Exact value;
};

/// "EUR=1.08USD". Errors: invalid_argument (no such form, not above 0, a currency against itself).
Result<Rate> parse_rate(std::string_view text);
Result<std::vector<Rate>> parse_rates(const std::vector<std::string>& texts);

/// The amount in another currency, by a rate of the two in either direction. Errors: invalid_argument (there
/// is none, with the option that gives it).
Result<Exact> converted(const Exact& amount, const std::string& from, const std::string& to,
                        std::span<const Rate> rates);

/// "EUR = 1.08 USD": each of them, for people.
std::vector<std::string> rate_texts(std::span<const Rate> rates);

/// All offers in one currency: `currency`, or where that is empty the one that they have, or the rates lead
/// to. Errors: invalid_argument (several, and a rate is missing).
Status into_one_currency(std::vector<Offer>& offers, std::span<const Rate> rates,
                         const std::string& currency = {});

}  // namespace neph::price
