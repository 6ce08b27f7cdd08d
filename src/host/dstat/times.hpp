// Moments as dstat and dool write them, by the clock of the machine that wrote them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace neph::host {

struct Heading {  ///< "25 Nov 2026 11:36:49 UTC"
  std::int64_t at_s = 0;
  std::string zone;
};
std::optional<Heading> heading_date(std::string_view text);
/// The same of a time in UTC.
std::string heading_text(std::int64_t at_s);

/// "2026-11-25T11:36:49Z" as Unix time.
std::optional<std::int64_t> utc_seconds(std::string_view text);

/// The times of rows, one after the other: "25-11 11:36:49" (dstat), "Nov-25 11:36:49" (dool), "2026-11-25
/// 11:36:49", "11:36:49", with or without a fraction.
class RowTimes {
 public:
  /// `begin`: the date of the heading, which has the year.
  explicit RowTimes(std::optional<std::int64_t> begin = {}) : begin_(begin) {}

  /// Seconds since 1970 as if the clock's zone were UTC. Empty: not such a time.
  std::optional<double> read(std::string_view text);
  /// Whether the years are known.
  bool are_dated() const { return begin_.has_value() || has_year_; }

 private:
  std::optional<std::int64_t> begin_;
  std::optional<double> last_;
  bool has_year_ = false;
};

/// "25-11 11:36:49".
std::string row_time(std::int64_t at_s);

}  // namespace neph::host
