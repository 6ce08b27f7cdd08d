// Moments of the calendar and lengths of time, in whole nanoseconds. Only for files of this module; others
// include price/price.hpp.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace neph::price {

/// Since 1970, UTC, without leap seconds.
using Instant = std::chrono::sys_time<Nanoseconds>;

/// "40s", "5min", "1h30min", "1.5h", "250ms", "2d", "0". Errors: invalid_argument (no or an unknown unit,
/// below 0, finer than a nanosecond, above 100 years).
Result<Nanoseconds> parse_length(std::string_view text);

/// "2026-11-24T13:25+03:00", "2026-11-24T10:25:30.5Z"; without an offset the clock of `zone`; "13:25" is of
/// `now`'s day there. Errors: invalid_argument (no such day or time; a time that the clock skips, or has
/// twice and needs an offset), not_found (the zone).
Result<Instant> parse_instant(std::string_view text, const std::string& zone, Instant now);

/// "2026-11-24T13:25:00+03:00", on the clock of `zone`. Errors: not_found.
Result<std::string> instant_text(Instant instant, const std::string& zone);

/// Whether periods of the clock may be so long: in whole seconds, and a part of an hour, or whole hours that
/// are a part of a day or all of it.
bool is_period(Nanoseconds period);

/// A period begins whenever the clock of `zone`, counted from midnight, comes to read a multiple of it, or
/// skips one; so it is shorter or longer where the clock is moved: a day has 23, 24 or 25 hours. The last
/// beginning that is not after `instant`, of a period that is_period(). Errors: not_found.
Result<Instant> period_begin(Instant instant, Nanoseconds period, const std::string& zone);
/// The first that is after it.
Result<Instant> period_end(Instant instant, Nanoseconds period, const std::string& zone);

}  // namespace neph::price
