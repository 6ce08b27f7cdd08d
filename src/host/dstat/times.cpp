#include "host/dstat/times.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"

namespace neph::host {
namespace {

constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t day_s = 86400;
constexpr int any_leap_year = 2000;  // 29 February is read without a heading too

struct Date {
  int year = 0, month = 0, day = 0;
};

std::vector<std::string_view> parts_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<int> month_of(std::string_view text) {
  for (std::size_t i = 0; i < months.size(); ++i)
    if (text == months[i]) return static_cast<int>(i) + 1;
  return std::nullopt;
}

std::optional<std::int64_t> days_since_1970(const Date& date) {
  if (date.year < 1970 || date.year > 9999) return std::nullopt;
  const std::chrono::year_month_day day(std::chrono::year(date.year),
                                        std::chrono::month(static_cast<unsigned>(date.month)),
                                        std::chrono::day(static_cast<unsigned>(date.day)));
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day).time_since_epoch().count();
}

std::chrono::year_month_day day_of(std::int64_t at_s) {
  return std::chrono::sys_days(std::chrono::days(at_s >= 0 ? at_s / day_s : (at_s - day_s + 1) / day_s));
}

/// "11:36:49", "11:36:49.125".
std::optional<double> seconds_of_day(std::string_view text) {
  const auto parts = parts_of(text, ":");
  if (parts.size() != 3) return std::nullopt;
  const auto hour = whole(parts[0]);
  const auto minute = whole(parts[1]);
  const auto point = parts[2].find('.');
  const auto second = whole(parts[2].substr(0, point));
  double fraction = 0;
  if (point != std::string_view::npos) {
    const auto digits = parts[2].substr(point + 1);
    const auto number = digits.size() <= 9 ? whole(digits) : std::nullopt;
    if (!number) return std::nullopt;
    fraction = *number / std::pow(10.0, static_cast<double>(digits.size()));
  }
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second + fraction;
}

/// Of a date without a year that one is 0.
std::optional<Date> date_of(std::string_view text) {
  const auto parts = parts_of(text, "-/");
  if (parts.size() == 3) {
    const auto year = whole(parts[0]), month = whole(parts[1]), day = whole(parts[2]);
    if (!year || !month || !day || *year < 1970) return std::nullopt;
    return Date{*year, *month, *day};
  }
  if (parts.size() != 2) return std::nullopt;
  if (const auto month = month_of(parts[0])) {
    const auto day = whole(parts[1]);
    return day ? std::optional(Date{0, *month, *day}) : std::nullopt;
  }
  const auto day = whole(parts[0]), month = whole(parts[1]);
  if (!day || !month) return std::nullopt;
  return Date{0, *month, *day};
}

}  // namespace

std::optional<Heading> heading_date(std::string_view text) {
  const auto words = parts_of(trimmed(text), " ");
  if (words.size() < 4) return std::nullopt;
  const auto day = whole(words[0]), month = month_of(words[1]), year = whole(words[2]);
  const auto time = seconds_of_day(words[3]);
  if (!day || !month || !year || !time) return std::nullopt;
  const auto days = days_since_1970({*year, *month, *day});
  if (!days) return std::nullopt;
  return Heading{*days * day_s + static_cast<std::int64_t>(*time),
                 words.size() > 4 ? std::string(words[4]) : ""};
}

std::string heading_text(std::int64_t at_s) {
  const auto day = day_of(at_s);
  const auto rest = ((at_s % day_s) + day_s) % day_s;
  return fmt::format("{:02} {} {} {:02}:{:02}:{:02} UTC", static_cast<unsigned>(day.day()),
                     months[static_cast<unsigned>(day.month()) - 1], static_cast<int>(day.year()),
                     rest / 3600, rest / 60 % 60, rest % 60);
}

std::string row_time(std::int64_t at_s) {
  const auto day = day_of(at_s);
  const auto rest = ((at_s % day_s) + day_s) % day_s;
  return fmt::format("{:02}-{:02} {:02}:{:02}:{:02}", static_cast<unsigned>(day.day()),
                     static_cast<unsigned>(day.month()), rest / 3600, rest / 60 % 60, rest % 60);
}

std::optional<std::int64_t> utc_seconds(std::string_view text) {
  const auto parts = parts_of(text, "TZ");
  if (parts.size() != 2) return std::nullopt;
  const auto date = date_of(parts[0]);
  const auto time = seconds_of_day(parts[1]);
  if (!date || date->year == 0 || !time) return std::nullopt;
  const auto days = days_since_1970(*date);
  if (!days) return std::nullopt;
  return *days * day_s + static_cast<std::int64_t>(*time);
}

std::optional<double> RowTimes::read(std::string_view text) {
  const auto parts = parts_of(trimmed(text), " T");
  if (parts.empty() || parts.size() > 2) return std::nullopt;
  const auto time = seconds_of_day(parts.back());
  if (!time) return std::nullopt;
  const auto known = last_ ? std::optional(static_cast<std::int64_t>(*last_)) : begin_;
  const auto today = day_of(known.value_or(0));
  auto date = Date{static_cast<int>(today.year()), static_cast<int>(static_cast<unsigned>(today.month())),
                   static_cast<int>(static_cast<unsigned>(today.day()))};
  if (parts.size() == 2) {
    const auto told = date_of(parts[0]);
    if (!told) return std::nullopt;
    date = *told;
  }
  has_year_ |= parts.size() == 2 && date.year != 0;
  if (date.year == 0) date.year = known ? static_cast<int>(day_of(*known).year()) : any_leap_year;
  auto days = days_since_1970(date);
  if (!days) return std::nullopt;
  constexpr double half_a_year_s = 182.0 * day_s;
  auto at = static_cast<double>(*days * day_s) + *time;
  if (known && at < static_cast<double>(*known) - half_a_year_s) {  // New Year's Eve
    ++date.year;
    days = days_since_1970(date);
    if (!days) return std::nullopt;
    at = static_cast<double>(*days * day_s) + *time;
  }
  // past midnight, where rows have no date
  if (parts.size() == 1 && known && at < static_cast<double>(*known) - day_s / 2) at += day_s;
  last_ = at;
  return at;
}

}  // namespace neph::host
