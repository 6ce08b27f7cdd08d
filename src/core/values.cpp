#include "core/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace neph {
namespace {

constexpr std::size_t most_values = 10'000;

struct ValueRange {
  double first = 0;
  double last = 0;
  double step = 1;
  bool multiply = false;
  bool whole = true;  ///< written without fractions, so shown without
};

std::optional<double> number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// "4..32*2" → a range; nothing when the text is not one (a path may hold "..").
std::optional<ValueRange> parse_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto first = number(text.substr(0, dots));
  auto rest = text.substr(dots + 2);
  ValueRange range;
  if (const auto sign = rest.find_first_of("*+", 1); sign != std::string_view::npos) {
    const auto step = number(rest.substr(sign + 1));
    if (!step) return std::nullopt;
    range.step = *step;
    range.multiply = rest[sign] == '*';
    rest = rest.substr(0, sign);
  }
  const auto last = number(rest);
  if (!first || !last) return std::nullopt;
  range.first = *first;
  range.last = *last;
  range.whole = text.find('.') == dots && text.find('.', dots + 2) == std::string_view::npos;
  return range;
}

bool ends(const ValueRange& range) {
  if (range.first > range.last) return false;
  return range.multiply ? range.step > 1 && range.first > 0 : range.step > 0;
}

Status append_range(const ValueRange& range, std::string_view text, std::vector<std::string>& values) {
  if (!ends(range))
    return fail(ErrorCode::invalid_argument, "'{}' is a range that never reaches its end", text);
  const double slack = 1e-9 * std::max(1.0, std::fabs(range.last));
  for (double value = range.first; value <= range.last + slack;) {
    if (values.size() >= most_values)
      return fail(ErrorCode::invalid_argument, "'{}' makes more than {} values", text, most_values);
    values.push_back(range.whole ? fmt::format("{:.0f}", value) : fmt::format("{:.10g}", value));
    value = range.multiply ? value * range.step : value + range.step;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> expand_values(std::string_view text) {
  std::vector<std::string> values;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const auto part = rest.substr(0, comma);
    if (part.empty())
      return fail(ErrorCode::invalid_argument, "'{}' has an empty value; write it as 1,2,4 or 1..64*2", text);
    if (const auto range = parse_range(part)) {
      NEPH_CHECK(append_range(*range, part, values));
    } else {
      values.emplace_back(part);
    }
    if (values.size() > most_values)
      return fail(ErrorCode::invalid_argument, "'{:.40}...' makes more than {} values", text, most_values);
    if (comma == std::string_view::npos) return values;
    rest = rest.substr(comma + 1);
  }
}

std::string value_as_text(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_string()) return value.get<std::string>();
  return dump_json(value);
}

std::string option_name(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words{""};
  bool is_quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\'')
      is_quoted = !is_quoted;
    else if (command[i] == ' ' && !is_quoted)
      words.emplace_back();
    else if (command[i] == '\\' && !is_quoted && i + 1 < command.size())
      words.back() += command[++i];
    else
      words.back() += command[i];
  }
  return words;
}

}  // namespace neph
