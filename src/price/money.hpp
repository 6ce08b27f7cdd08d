// Exact money: decimals as people and catalogues write them, summed without rounding, rounded once at the
// end. Only for files of this module; others include price/price.hpp.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace neph::price {

/// A rational number of any size. What it is made of is known to money.cpp alone, which spares all others a
/// large header.
class Exact {
 public:
  Exact();  ///< 0
  template <std::integral Whole>
  Exact(Whole value) : Exact(static_cast<std::int64_t>(value), 1) {}
  explicit Exact(double value);  ///< finite, as it stands
  Exact(std::int64_t numerator, std::int64_t denominator);
  Exact(const Exact& other);
  Exact(Exact&& other) noexcept;
  Exact& operator=(const Exact& other);
  Exact& operator=(Exact&& other) noexcept;
  ~Exact();

  Exact& operator+=(const Exact& other);
  Exact& operator-=(const Exact& other);
  Exact& operator*=(const Exact& other);
  Exact& operator/=(const Exact& other);  ///< not by 0
  friend Exact operator+(Exact one, const Exact& other) { return one += other; }
  friend Exact operator-(Exact one, const Exact& other) { return one -= other; }
  friend Exact operator*(Exact one, const Exact& other) { return one *= other; }
  friend Exact operator/(Exact one, const Exact& other) { return one /= other; }
  friend bool operator==(const Exact& one, const Exact& other);
  friend std::strong_ordering operator<=>(const Exact& one, const Exact& other);

  bool is_whole() const;
  /// Towards 0; the nearest that there is where it is beyond 64 bits.
  std::int64_t truncated() const;
  /// As a fraction in lowest terms, "3/8"; a whole number without "/1".
  std::string str() const;

 private:
  friend struct Inside;  // of money.cpp
  static constexpr std::size_t bytes = 64;
  alignas(std::max_align_t) std::array<std::byte, bytes> rational_;
};

Exact abs(const Exact& value);

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
