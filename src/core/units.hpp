// Quantities for people: 1.5 GiB, 12.3 ms, 4.09 G, 3 min 20 s. Data keeps plain numbers with the unit in the
// name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/estimate.hpp"
#include "core/result.hpp"

namespace neph {

namespace unit {

inline constexpr std::string_view bytes = "bytes";
inline constexpr std::string_view bytes_per_s = "bytes_per_s";
inline constexpr std::string_view celsius = "celsius";
inline constexpr std::string_view cores = "cores";  ///< 1: one core kept busy
inline constexpr std::string_view gpus = "gpus";    ///< 1: one GPU kept busy
inline constexpr std::string_view hertz = "hertz";
inline constexpr std::string_view per_s = "per_s";
inline constexpr std::string_view percent = "percent";
inline constexpr std::string_view processes = "processes";
inline constexpr std::string_view seconds = "s";
inline constexpr std::string_view share = "share";
inline constexpr std::string_view threads = "threads";
inline constexpr std::string_view watt = "watt";

}  // namespace unit

/// Significant digits as a person reads them: 0.0123, 1.23, 12.3, 123, 1235, 25557032.
std::string format_number(double value, int significant = 3);
/// 640 B, 12.3 KiB, 1.5 GiB.
std::string format_bytes(double bytes);
/// 850 ns, 12.3 µs, 4.56 ms, 1.23 s, 3 min 20 s, 2 h 5 min.
std::string format_seconds(double seconds);
/// In its unit: "1.50 GiB", "0.31 %", "12.3 W", "2.40 GHz", "1.94"; of a unit that is not known the number.
std::string format_quantity(double value, std::string_view unit);
/// A share: "12.3 %".
std::string format_percent(double share, int significant = 3);
/// What the ending of a field's or an option's name says, of units that are written with prefixes: bytes,
/// seconds, hertz. Empty: another, or none.
std::string_view unit_of_name(std::string_view name);
/// 25.6 M, 4.09 G (powers of 1000).
std::string format_count(double count);
/// "123 ± 4", "123 (118 to 131)" when the interval is not symmetric, "123 (n = 2)" without one.
std::string format_estimate(const Estimate& estimate);
/// "1 run", "3 runs": of a noun whose plural ends in s.
std::string counted(std::int64_t n, std::string_view noun);
/// 25,557,032
std::string format_grouped(std::int64_t value);

}  // namespace neph
