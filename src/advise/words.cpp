#include "advise/words.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/chance.hpp"
#include "record/money_words.hpp"

namespace neph::advise {
namespace {

constexpr double told_apart = 0.005;  ///< what differs less is alike
constexpr double many_times = 2;      ///< from here on a ratio is told as a factor

std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string words_for_time(double seconds) {
  auto text = format_seconds(seconds);
  for (const std::string_view nothing : {" 0 s", " 0 min"})
    if (text.ends_with(nothing)) text.erase(text.size() - nothing.size());
  return text;
}

std::string words_for_amount(const price::Exact& amount, const std::string& currency) {
  return money_words(price::approximate(amount), currency);
}

std::string words_for_job(const price::Exact& amount, const Request& request) {
  if (!is_told_of_a_thousand(price::approximate(amount))) return words_for_amount(amount, request.currency);
  return fmt::format("{} per 1,000 {}s", words_for_amount(amount * price::Exact(1000), request.currency),
                     request.noun);
}

std::string option_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 120) return fmt::format("{}s", whole);
  const auto minutes = (whole + 59) / 60;
  if (minutes < 120) return fmt::format("{}min", minutes);
  return minutes % 60 == 0 ? fmt::format("{}h", minutes / 60)
                           : fmt::format("{}h{}min", minutes / 60, minutes % 60);
}

std::string option_amount(const price::Exact& amount, const std::string& currency) {
  const double value = price::approximate(amount);
  const double unit = value < 1 ? std::pow(10, std::floor(std::log10(std::max(value, 1e-6))) - 2) : 0.01;
  return without_zeros(fmt::format("{:.9f}", std::ceil(value / unit - 1e-9) * unit)) + currency;
}

std::string words_for_limits(const Request& request) {
  std::string words;
  if (request.deadline_s) words = fmt::format("within {}", words_for_time(*request.deadline_s));
  if (request.budget)
    words += fmt::format("{}for at most {}", words.empty() ? "" : " ",
                         words_for_amount(*request.budget, request.currency));
  return words;
}

std::string words_for_chance(double share, std::int64_t simulations) {
  const double least = least_told_chance(simulations);
  if (share > 1 - least) return fmt::format("above {}", format_percent(1 - least, 3));
  if (share < least) return fmt::format("below {}", format_percent(least, 2));
  return format_percent(share, share > 0.99 ? 3 : 2);
}

std::string words_for_ratio(double a, double b, const std::string& less, const std::string& more,
                            const std::string& other) {
  const double ratio = a / b;
  const auto as = other.empty() ? other : " as " + other, than = other.empty() ? other : " than " + other;
  if (std::abs(ratio - 1) < told_apart) return fmt::format("as {}{}", more, as);
  if (ratio >= many_times) return fmt::format("{} times as {}{}", format_number(ratio), more, as);
  if (ratio > 1) return fmt::format("{} {}er{}", format_percent(ratio - 1, 2), more, than);
  return fmt::format("{} {}er{}", format_percent(1 - ratio, 2), less, than);
}

Amount amount_of(const price::Exact& amount, const std::string& currency) {
  return {price::decimal_text(amount), currency};
}

}  // namespace neph::advise
