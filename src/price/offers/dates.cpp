#include "price/offers/dates.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include <date/date.h>

#include "core/text.hpp"

namespace neph::price {
namespace {

constexpr std::size_t year_length = 4, month_length = 7, day_length = 10;

std::optional<date::sys_days> day_of(std::string_view text) {
  if (text.size() < day_length || text[4] != '-' || text[7] != '-') return std::nullopt;
  if (text.size() > day_length && text[day_length] != 'T' && text[day_length] != ' ') return std::nullopt;
  const auto number = [&](std::size_t begin, std::size_t digits) {
    int value = -1;
    const auto word = text.substr(begin, digits);
    if (std::ranges::all_of(word, is_digit)) std::from_chars(word.data(), word.data() + digits, value);
    return value;
  };
  const auto year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const auto all = date::year(year) / static_cast<unsigned>(month) / static_cast<unsigned>(day);
  return all.ok() ? std::optional(date::sys_days(all)) : std::nullopt;
}

}  // namespace

bool is_date(std::string_view text) {
  std::string whole(text);
  if (text.size() == year_length) whole += "-01";
  if (whole.size() == month_length) whole += "-01";
  return day_of(whole).has_value();
}

std::optional<std::int64_t> days_between(std::string_view from, std::string_view to) {
  const auto begin = day_of(from), end = day_of(to);
  if (!begin || !end) return std::nullopt;
  return (*end - *begin).count();
}

}  // namespace neph::price
