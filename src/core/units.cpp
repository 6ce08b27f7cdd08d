#include "core/units.hpp"

#include <array>
#include <cmath>

namespace neph {
namespace {

template <std::size_t N>
std::string with_suffix(double value, double step, const std::array<std::string_view, N>& suffixes) {
  std::size_t i = 0;
  while (std::fabs(value) >= step * 0.9995 && i + 1 < N) {
    value /= step;
    ++i;
  }
  return suffixes[i].empty() ? format_number(value) : fmt::format("{} {}", format_number(value), suffixes[i]);
}

}  // namespace

std::string format_number(double value, int significant) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const auto magnitude_of = [](double x) { return static_cast<int>(std::floor(std::log10(x))); };
  const double half_digit = 0.5 * std::pow(10.0, magnitude_of(std::fabs(value)) - significant + 1);
  const int magnitude = magnitude_of(std::fabs(value) + half_digit);  // 9.999 is shown as 10.0
  const int decimals = std::max(0, significant - 1 - magnitude);
  if (decimals > 9 || magnitude > 15) return fmt::format("{:.{}g}", value, significant);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_bytes(double bytes) {
  return with_suffix(bytes, 1024.0, std::array<std::string_view, 6>{"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string format_count(double count) {
  return with_suffix(count, 1000.0, std::array<std::string_view, 5>{"", "k", "M", "G", "T"});
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 0) return "-" + format_seconds(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995e-6) return fmt::format("{} ns", format_number(seconds * 1e9));
  if (seconds < 0.9995e-3) return fmt::format("{} µs", format_number(seconds * 1e6));
  if (seconds < 0.9995) return fmt::format("{} ms", format_number(seconds * 1e3));
  if (seconds < 99.5) return fmt::format("{} s", format_number(seconds));
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string format_quantity(double value, std::string_view unit) {
  if (unit == unit::bytes) return format_bytes(value);
  if (unit == unit::bytes_per_s) return format_bytes(value) + "/s";
  if (unit == unit::percent) return format_number(value) + " %";
  if (unit == unit::seconds || unit == "seconds") return format_seconds(value);
  if (unit == unit::watt) return format_number(value) + " W";
  if (unit == unit::celsius) return format_number(value) + " °C";
  if (unit == unit::hertz) return format_count(value) + (std::fabs(value) < 999.5 ? " Hz" : "Hz");
  if (unit == unit::per_s) return format_count(value) + "/s";
  return std::fabs(value) >= 99950 ? format_count(value) : format_number(value);
}

std::string format_percent(double share, int significant) {
  return format_number(100 * share, significant) + " %";
}

std::string_view unit_of_name(std::string_view name) {
  const auto ends_in = [&](std::string_view word) {
    if (!name.ends_with(word)) return false;
    const auto before = name.substr(0, name.size() - word.size());
    return before.empty() || before.ends_with('_') || before.ends_with('-');
  };
  if (ends_in("bytes")) return unit::bytes;
  if (ends_in("hz")) return unit::hertz;
  return ends_in("s") && !ends_in("per_s") && !ends_in("per-s") ? unit::seconds : std::string_view();
}

std::string format_estimate(const Estimate& estimate) {
  if (!std::isfinite(estimate.value)) return "-";
  if (!estimate.low || !estimate.high)
    return fmt::format("{} (n = {})", format_number(estimate.value), estimate.n);
  const double below = estimate.value - *estimate.low;
  const double above = *estimate.high - estimate.value;
  const auto value = format_number(estimate.value), low = format_number(*estimate.low),
             high = format_number(*estimate.high);
  if (low == value && high == value) return value;  // narrower than its digits: what is left is dust
  if (std::fabs(above - below) <= 0.1 * std::max(above, below))
    return fmt::format("{} ± {}", value, format_number(std::max(above, below), 2));
  return fmt::format("{} ({} to {})", value, low, high);
}

std::string counted(std::int64_t n, std::string_view noun) {
  const std::string_view plural = noun.ends_with("tch") ? "es" : "s";
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : plural);
}

std::string format_grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (auto i = static_cast<std::int64_t>(digits.size()) - 3; i > (value < 0 ? 1 : 0); i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

}  // namespace neph
