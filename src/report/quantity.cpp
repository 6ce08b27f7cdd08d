#include "report/quantity.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"

namespace neph::report {
std::string quantity(std::optional<double> value, std::string_view unit) {
  constexpr double dust = 5e-4;  // of a core, a thread or a per cent: nothing
  const bool is_counted = unit == unit::cores || unit == unit::percent || unit == unit::threads;
  if (!value || !std::isfinite(*value)) return "–";
  if (is_counted && std::fabs(*value) < dust) return format_quantity(0, unit);
  return format_quantity(*value, unit);
}

std::string unit_in_words(std::string_view unit) {
  if (unit == unit::per_s) return "per second";
  if (unit == unit::bytes_per_s) return "bytes per second";
  if (unit == unit::percent) return "%";
  return std::string(unit);
}

std::string plain(double value) { return fmt::format("{:g}", value); }

std::string ratio_text(double ratio) { return format_number(ratio, std::fabs(ratio - 1) < 0.1 ? 4 : 3); }

std::string ci_text(const Estimate& estimate) {
  return fmt::format("95 % CI {} to {}", format_number(*estimate.low), format_number(*estimate.high));
}

std::string ratio_ci_text(const Estimate& ratio) {
  return fmt::format("95 % CI {} to {}", ratio_text(*ratio.low), ratio_text(*ratio.high));
}

std::string estimate_text(const Estimate& estimate) {
  return std::isfinite(estimate.value) ? format_estimate(estimate) : "–";
}

std::string escape_markup(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string escape_html(std::string_view text) {
  auto out = escape_markup(text);
  for (auto at = out.find(" %"); at != std::string::npos; at = out.find(" %", at))
    out.replace(at, 1, "&nbsp;");
  return out;
}

std::string escape_markdown(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|~#").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string sentence(std::string_view text) {
  const bool ended = text.empty() || std::string_view(".!?:").find(text.back()) != std::string_view::npos;
  return std::string(text) + (ended ? "" : ".");
}

}  // namespace neph::report
