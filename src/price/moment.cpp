#include "price/moment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <date/date.h>
#include <date/tz.h>

#include "price/money.hpp"

namespace neph::price {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ns;
};
// Of two that begin alike the longer first.
constexpr std::array units{Unit{"ns", 1},
                           Unit{"us", 1'000},
                           Unit{"ms", 1'000'000},
                           Unit{"min", 60'000'000'000},
                           Unit{"m", 60'000'000'000},
                           Unit{"s", 1'000'000'000},
                           Unit{"h", 3'600'000'000'000},
                           Unit{"d", 86'400'000'000'000}};
constexpr std::int64_t longest_ns = 36525LL * 86'400'000'000'000;

bool is_of_number(char c) { return (c >= '0' && c <= '9') || c == '.'; }

Result<const date::time_zone*> zone_of(const std::string& name) {
  try {
    return date::locate_zone(name);
  } catch (const std::exception&) {
    return fail(ErrorCode::not_found,
                "no time zone '{}' on this machine; names are as Europe/Moscow, from tzdata", name);
  }
}

/// Needs no data of time zones, which a bare system lacks.
constexpr std::string_view utc = "UTC";

/// A zone's clock for as long as it is not moved.
struct Clock {
  std::chrono::seconds offset{};  ///< by which it is ahead
  std::chrono::sys_seconds begin = std::chrono::sys_seconds::min(), end = std::chrono::sys_seconds::max();
};

Result<Clock> clock_at(Instant instant, const std::string& zone) {
  if (zone == utc) return Clock{};
  NEPH_TRY(const auto* clock, zone_of(zone));
  const auto info = clock->get_info(instant);
  return Clock{.offset = info.offset, .begin = info.begin, .end = info.end};
}

Result<std::chrono::seconds> offset_at(Instant instant, const std::string& zone) {
  NEPH_TRY(const auto clock, clock_at(instant, zone));
  return clock.offset;
}

/// The last full period that a clock reads, since its midnight.
Instant full_period(Instant reading, Nanoseconds period) {
  const auto midnight = std::chrono::floor<std::chrono::days>(reading);
  return midnight + (reading - midnight) / period * period;
}

/// Whether a period begins where a clock is moved.
Result<bool> begins_at_move(std::chrono::sys_seconds move, Nanoseconds period, const std::string& zone) {
  NEPH_TRY(const auto before, offset_at(move - std::chrono::seconds(1), zone));
  NEPH_TRY(const auto after, offset_at(move, zone));
  const Instant from = move + before, to = move + after;
  const auto last = full_period(to, period);
  return full_period(from, period) == from || last == to || (to > from && last > from);
}

/// "+03:00"
std::string offset_text(std::chrono::seconds offset) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(offset).count();
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60,
                     std::abs(minutes) % 60);
}

/// What a text says: fields that were not said are as at the top.
struct Civil {
  bool has_day = false;
  int year = 0;
  unsigned month = 0, day = 0;
  int hour = 0, minute = 0;
  Nanoseconds second{};
  bool has_offset = false;
  std::chrono::minutes offset{};
};

/// Reads pieces from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool is_over() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Exactly so many digits.
  bool number(std::size_t digits, int& out) {
    if (rest_.size() < digits) return false;
    out = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return false;
      out = out * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }
  /// Digits behind the point, of a second.
  bool fraction(Nanoseconds& out) {
    std::int64_t unit = 100'000'000;
    std::int64_t ns = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits, unit /= 10) {
      if (unit == 0) return false;
      ns += unit * (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    out += Nanoseconds(ns);
    return digits > 0;
  }
  bool has_day() const { return rest_.size() > 4 && rest_[4] == '-'; }

 private:
  std::string_view rest_;
};

bool read_day(Reader& reader, Civil& civil) {
  int month = 0;
  int day = 0;
  civil.has_day = reader.number(4, civil.year) && reader.take('-') && reader.number(2, month) &&
                  reader.take('-') && reader.number(2, day);
  civil.month = static_cast<unsigned>(month);
  civil.day = static_cast<unsigned>(day);
  return civil.has_day && (reader.take('T') || reader.take(' '));
}

bool read_time(Reader& reader, Civil& civil) {
  if (!reader.number(2, civil.hour) || !reader.take(':') || !reader.number(2, civil.minute)) return false;
  int second = 0;
  if (reader.take(':')) {
    if (!reader.number(2, second)) return false;
    civil.second = std::chrono::seconds(second);
    if (reader.take('.') && !reader.fraction(civil.second)) return false;
  }
  return civil.hour < 24 && civil.minute < 60 && second < 60;
}

bool read_offset(Reader& reader, Civil& civil) {
  if (reader.is_over()) return true;
  civil.has_offset = true;
  if (reader.take('Z')) return reader.is_over();
  const bool is_west = reader.take('-');
  if (!is_west && !reader.take('+')) return false;
  int hours = 0;
  int minutes = 0;
  if (!reader.number(2, hours)) return false;
  if (!reader.is_over() && (!reader.take(':') || !reader.number(2, minutes))) return false;
  if (hours > 14 || minutes > 59) return false;
  civil.offset = std::chrono::minutes((is_west ? -1 : 1) * (hours * 60 + minutes));
  return reader.is_over();
}

Result<Civil> read_civil(std::string_view text) {
  Civil civil;
  Reader reader(text);
  constexpr int first_year = 1900, last_year = 2200;  // nanoseconds since 1970 reach to 2262
  const bool is_read = (!reader.has_day() || read_day(reader, civil)) && read_time(reader, civil) &&
                       read_offset(reader, civil);
  const auto day = date::year(civil.year) / civil.month / civil.day;
  if (!is_read || (civil.has_day && (!day.ok() || civil.year < first_year || civil.year > last_year)))
    return fail(ErrorCode::invalid_argument,
                "'{}' is no moment: give it as 2026-11-24T13:25+03:00, or as 13:25 of today", text);
  return civil;
}

}  // namespace

Result<Nanoseconds> parse_length(std::string_view text) {
  const auto whole = text;
  if (text == "0") return Nanoseconds{};
  Exact sum = 0;
  const auto wrong = [&] {
    const bool has_no_unit = std::ranges::all_of(whole, is_of_number);
    return fail(ErrorCode::invalid_argument,
                "'{}' is no length of time: {}give it as 40s, 5min, 1.5h or 1h30min", whole,
                has_no_unit && !whole.empty() ? "it has no unit (a fraction has a point, no comma); " : "");
  };
  if (text.empty()) return wrong();
  while (!text.empty()) {
    std::size_t digits = 0;
    while (digits < text.size() && is_of_number(text[digits])) ++digits;
    if (digits == 0) return wrong();
    NEPH_TRY(const auto number, parse_decimal(text.substr(0, digits), "a length of time"));
    text.remove_prefix(digits);
    const auto unit =
        std::ranges::find_if(units, [&](const Unit& each) { return text.starts_with(each.name); });
    if (unit == units.end()) return wrong();
    text.remove_prefix(unit->name.size());
    sum += number * unit->ns;
  }
  if (sum > longest_ns) return fail(ErrorCode::invalid_argument, "'{}' is longer than 100 years", whole);
  if (!sum.is_whole()) return fail(ErrorCode::invalid_argument, "'{}' is finer than a nanosecond", whole);
  return Nanoseconds(sum.truncated());
}

Result<Instant> parse_instant(std::string_view text, const std::string& zone, Instant now) {
  NEPH_TRY(const auto civil, read_civil(text));
  NEPH_TRY(const auto offset_now, offset_at(now, zone));
  const auto time = std::chrono::hours(civil.hour) + std::chrono::minutes(civil.minute) + civil.second;
  const auto day =
      civil.has_day
          ? date::local_days(date::year(civil.year) / civil.month / civil.day)
          : date::floor<date::days>(date::local_time<Nanoseconds>((now + offset_now).time_since_epoch()));
  const auto local = day + time;
  if (civil.has_offset) return Instant(local.time_since_epoch() - civil.offset);
  if (zone == utc) return Instant(local.time_since_epoch());
  NEPH_TRY(const auto* clock, zone_of(zone));
  const auto info = clock->get_info(local);
  if (info.result == date::local_info::nonexistent)
    return fail(ErrorCode::invalid_argument,
                "{} does not exist in {}: the clock skips it; give an offset, as in 2026-11-24T13:25+03:00",
                text, zone);
  if (info.result == date::local_info::ambiguous)
    return fail(ErrorCode::invalid_argument,
                "{} is there twice in {}, as the clock is put back; give an offset: {} or {}", text, zone,
                offset_text(info.first.offset), offset_text(info.second.offset));
  return Instant(local.time_since_epoch() - info.first.offset);
}

Result<std::string> instant_text(Instant instant, const std::string& zone) {
  NEPH_TRY(const auto offset, offset_at(instant, zone));
  const auto local = date::floor<std::chrono::seconds>(instant + offset);
  return date::format("%FT%T", local) + offset_text(offset);
}

Result<Instant> period_begin(Instant instant, Nanoseconds period, const std::string& zone) {
  NEPH_TRY(const auto clock, clock_at(instant, zone));
  const Instant begin = full_period(instant + clock.offset, period) - clock.offset;
  if (std::chrono::floor<std::chrono::seconds>(begin) >= clock.begin) return begin;
  NEPH_TRY(const bool is_begin, begins_at_move(clock.begin, period, zone));
  return is_begin ? Instant(clock.begin) : period_begin(Instant(clock.begin) - Nanoseconds(1), period, zone);
}

Result<Instant> period_end(Instant instant, Nanoseconds period, const std::string& zone) {
  NEPH_TRY(const auto clock, clock_at(instant, zone));
  const Instant end = full_period(instant + clock.offset, period) + period - clock.offset;
  if (std::chrono::floor<std::chrono::seconds>(end) <= clock.end) return end;
  NEPH_TRY(const bool is_begin, begins_at_move(clock.end, period, zone));
  return is_begin ? Instant(clock.end) : period_end(Instant(clock.end), period, zone);
}

bool is_period(Nanoseconds period) {
  using std::chrono::hours, std::chrono::seconds;
  if (period <= Nanoseconds{} || period % seconds(1) != Nanoseconds{}) return false;
  return hours(1) % period == Nanoseconds{} ||
         (period % hours(1) == Nanoseconds{} && hours(24) % period == Nanoseconds{});
}

}  // namespace neph::price
