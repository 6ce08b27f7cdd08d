#include "price/money.hpp"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "core/text.hpp"

namespace neph::price {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

struct Inside {
  static_assert(sizeof(cpp_rational) <= Exact::bytes && alignof(cpp_rational) <= alignof(Exact));
  static cpp_rational& of(Exact& value) {
    return *std::launder(reinterpret_cast<cpp_rational*>(value.rational_.data()));
  }
  static const cpp_rational& of(const Exact& value) {
    return *std::launder(reinterpret_cast<const cpp_rational*>(value.rational_.data()));
  }
  static Exact made_of(cpp_rational value) {
    Exact made;
    of(made) = std::move(value);
    return made;
  }
};

Exact::Exact() { new (rational_.data()) cpp_rational; }
Exact::Exact(double value) { new (rational_.data()) cpp_rational(value); }
Exact::Exact(std::int64_t numerator, std::int64_t denominator) {
  new (rational_.data()) cpp_rational(numerator, denominator);
}
Exact::Exact(const Exact& other) { new (rational_.data()) cpp_rational(Inside::of(other)); }
Exact::Exact(Exact&& other) noexcept { new (rational_.data()) cpp_rational(std::move(Inside::of(other))); }
Exact& Exact::operator=(const Exact& other) {
  Inside::of(*this) = Inside::of(other);
  return *this;
}
Exact& Exact::operator=(Exact&& other) noexcept {
  Inside::of(*this) = std::move(Inside::of(other));
  return *this;
}
Exact::~Exact() { Inside::of(*this).~cpp_rational(); }

Exact& Exact::operator+=(const Exact& other) {
  Inside::of(*this) += Inside::of(other);
  return *this;
}
Exact& Exact::operator-=(const Exact& other) {
  Inside::of(*this) -= Inside::of(other);
  return *this;
}
Exact& Exact::operator*=(const Exact& other) {
  Inside::of(*this) *= Inside::of(other);
  return *this;
}
Exact& Exact::operator/=(const Exact& other) {
  Inside::of(*this) /= Inside::of(other);
  return *this;
}
bool operator==(const Exact& one, const Exact& other) { return Inside::of(one) == Inside::of(other); }
std::strong_ordering operator<=>(const Exact& one, const Exact& other) {
  return Inside::of(one).compare(Inside::of(other)) <=> 0;
}

bool Exact::is_whole() const { return denominator(Inside::of(*this)) == 1; }

std::int64_t Exact::truncated() const {
  const cpp_int whole = numerator(Inside::of(*this)) / denominator(Inside::of(*this));
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  if (whole < low || whole > high) return whole < 0 ? low : high;
  return static_cast<std::int64_t>(whole);
}

std::string Exact::str() const { return Inside::of(*this).str(); }

Exact abs(const Exact& value) { return value < 0 ? Exact(0) - value : value; }

namespace {

constexpr std::ptrdiff_t most_digits = 40;
constexpr std::int64_t hour_ns = 3'600'000'000'000;

cpp_int power_of_ten(std::int64_t exponent) {
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

tl::unexpected<Error> no_number(std::string_view text, std::string_view what) {
  return fail(ErrorCode::invalid_argument, "{}: '{}' is no number", what, text);
}

/// The exponent behind "e" or "E"; 0 where there is none. Takes it off the text.
Result<std::int64_t> take_exponent(std::string_view& text, std::string_view whole, std::string_view what) {
  const auto e = text.find_first_of("eE");
  if (e == std::string_view::npos) return 0;
  auto digits = text.substr(e + 1);
  text = text.substr(0, e);
  const bool is_negative = digits.starts_with('-');
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 3 || !std::ranges::all_of(digits, is_digit))
    return no_number(whole, what);
  const auto value = std::strtoll(std::string(digits).c_str(), nullptr, 10);
  if (value > most_digits)
    return fail(ErrorCode::invalid_argument, "{}: {} is too long a number", what, whole);
  return is_negative ? -value : value;
}

/// Whole numbers of so many digits fit into 64 bits; a price list has a hundred thousand of them.
constexpr std::int64_t machine_digits = 18;

Exact short_decimal(const std::string& digits, std::int64_t scale, bool is_negative) {
  const auto number = std::strtoll(digits.c_str(), nullptr, 10);
  std::int64_t power = 1;
  for (std::int64_t i = 0; i < scale; ++i) power *= 10;
  const auto common = std::gcd(number, power);
  return {(is_negative ? -number : number) / common, power / common};
}

struct TimeUnit {
  std::string_view name;
  std::int64_t per_hour_numerator, per_hour_denominator;
};
constexpr std::array time_units{
    TimeUnit{"s", 3600, 1},    TimeUnit{"sec", 3600, 1}, TimeUnit{"second", 3600, 1}, TimeUnit{"min", 60, 1},
    TimeUnit{"minute", 60, 1}, TimeUnit{"h", 1, 1},      TimeUnit{"hr", 1, 1},        TimeUnit{"hour", 1, 1},
    TimeUnit{"day", 1, 24},    TimeUnit{"month", 1, 730}};

struct Sign {
  std::string_view sign, currency;
};
constexpr std::array signs{Sign{"$", "USD"}, Sign{"€", "EUR"}, Sign{"£", "GBP"}, Sign{"₽", "RUB"}};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The currency before or behind the number, which is left; empty: none.
std::string take_currency(std::string_view& text) {
  for (const auto& [sign, currency] : signs) {
    if (text.starts_with(sign)) return text.remove_prefix(sign.size()), std::string(currency);
    if (text.ends_with(sign)) return text.remove_suffix(sign.size()), std::string(currency);
  }
  const auto is_code = [](std::string_view letters) {
    return letters.size() == 3 && std::ranges::all_of(letters, [](char c) { return c >= 'A' && c <= 'Z'; });
  };
  if (text.size() <= 3) return {};
  std::string code(text.substr(text.size() - 3));
  if (is_code(code)) return text.remove_suffix(3), code;
  code = text.substr(0, 3);
  if (is_code(code)) return text.remove_prefix(3), code;
  return {};
}

}  // namespace

Result<Exact> parse_decimal(std::string_view text, std::string_view what) {
  const auto whole = trimmed(text);
  text = whole;
  NEPH_TRY(const auto exponent, take_exponent(text, whole, what));
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  const auto decimals = point < text.size() ? text.substr(point + 1) : std::string_view{};
  digits += decimals;
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return no_number(whole, what);
  if (std::ssize(digits) > most_digits)
    return fail(ErrorCode::invalid_argument, "{}: {} is too long a number", what, whole);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));  // "010" is not octal
  const auto scale = static_cast<std::int64_t>(decimals.size()) - exponent;
  if (std::ssize(digits) <= machine_digits && scale >= 0 && scale <= machine_digits)
    return short_decimal(digits, scale, is_negative);
  const cpp_int number(is_negative ? "-" + digits : digits);
  return Inside::made_of(scale > 0 ? cpp_rational(number, power_of_ten(scale))
                                   : cpp_rational(number * power_of_ten(-scale)));
}

std::string decimal_text(const Exact& value) {
  constexpr int decimals = 6, fewest = 2;
  const bool is_negative = value < 0;
  const cpp_rational scaled = abs(Inside::of(value)) * power_of_ten(decimals) + cpp_rational(1, 2);
  const cpp_int units = numerator(scaled) / denominator(scaled);
  auto digits = units.str();
  if (std::ssize(digits) <= decimals)
    digits.insert(0, static_cast<std::size_t>(decimals + 1) - digits.size(), '0');
  digits.insert(digits.size() - decimals, ".");
  const auto least = digits.find('.') + 1 + fewest;
  while (digits.size() > least && digits.back() == '0') digits.pop_back();
  return (is_negative && units != 0 ? "-" : "") + digits;
}

double approximate(const Exact& value) { return Inside::of(value).convert_to<double>(); }

Result<Price> parse_price(std::string_view text) {
  const auto whole = trimmed(text);
  constexpr std::string_view example = "as 100RUB/h or $0.40/h";
  const auto slash = whole.find('/');
  if (slash == std::string_view::npos)
    return fail(ErrorCode::invalid_argument, "price '{}': per what time? Give it {}", whole, example);
  const auto unit_name = trimmed(whole.substr(slash + 1));
  const auto unit = std::ranges::find(time_units, unit_name, &TimeUnit::name);
  if (unit == time_units.end())
    return fail(ErrorCode::invalid_argument,
                "price '{}': '{}' is no unit of time; give s, min, h, day or month", whole, unit_name);
  auto number = trimmed(whole.substr(0, slash));
  auto currency = take_currency(number);
  if (currency.empty())
    return fail(ErrorCode::invalid_argument, "price '{}': in which currency? Give it {}", whole, example);
  NEPH_TRY(const auto amount, parse_decimal(number, fmt::format("price '{}'", whole)));
  if (amount < 0) return fail(ErrorCode::invalid_argument, "price '{}' is below 0", whole);
  return Price{.per_hour = amount * Exact(unit->per_hour_numerator, unit->per_hour_denominator),
               .currency = std::move(currency)};
}

Result<std::string> parse_currency(std::string_view text) {
  constexpr std::size_t letters = 3;
  std::string code(trimmed(text));
  for (auto& c : code) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  if (code.size() == letters && std::ranges::all_of(code, [](char c) { return c >= 'A' && c <= 'Z'; }))
    return code;
  return fail(ErrorCode::invalid_argument, "currency '{}': give its three letters, as USD", text);
}

Result<Price> parse_price_or_number(std::string_view text, const std::string& currency) {
  if (text.find('/') != std::string_view::npos) return parse_price(text);
  NEPH_TRY(auto value, parse_decimal(text, "price"));
  return Price{.per_hour = std::move(value), .currency = currency};
}

Exact cost(const Price& price, Nanoseconds length) { return price.per_hour * Exact(length.count(), hour_ns); }

}  // namespace neph::price
