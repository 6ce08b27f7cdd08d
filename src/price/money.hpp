// Exact money: decimals as people and catalogues write them, summed without rounding, rounded once at the
// end. Only for files of this module; others include price/price.hpp.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace neph::price {

using Exact = boost::multiprecision::cpp_rational;

/// "0.73948", "100", ".5", "1e-05" as it stands, never through floating point; `what` is its name in
/// messages. Errors: invalid_argument (no number, no finite one, more than 40 digits or decimals).
Result<Exact> parse_decimal(std::string_view text, std::string_view what);

/// Rounded half up (away from zero) to six decimals; trailing zeros beyond the second are left out: "200.00",
/// "0.123457".
std::string decimal_text(const Exact& value);

/// For charts and comparisons; the bill itself never uses it.
double approximate(const Exact& value);

/// What a machine costs while it is billed.
struct Price {
  Exact per_hour;
  std::string currency;  ///< ISO 4217: "USD"
};

/// "100RUB/h", "0.40 USD/h", "$0.40/h", "3 EUR/day", "0.01USD/min": per s, min, h, day, or month of 730
/// hours. Errors: invalid_argument (no number, below 0, no currency, no unit of time).
Result<Price> parse_price(std::string_view text);

/// "usd" in capitals. Errors: invalid_argument (no three letters).
Result<std::string> parse_currency(std::string_view text);

/// As of parse_price(); a bare number is per hour, in `currency`.
Result<Price> parse_price_or_number(std::string_view text, const std::string& currency);

/// What a length of time costs.
Exact cost(const Price& price, Nanoseconds length);

}  // namespace neph::price
