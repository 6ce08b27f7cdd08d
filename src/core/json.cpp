#include "core/json.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"

namespace neph {

namespace {

/// Values are copied, compared, written and taken apart by recursion, so depth is stack: text from outside
/// must not choose it. Nothing of ours is deeper than 10.
constexpr int max_depth = 100;

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (quoted) {
      if (byte == '\\')
        ++i;
      else if (byte == '"')
        quoted = false;
    } else if (byte == '"') {
      quoted = true;
    } else if (byte == '[' || byte == '{') {
      if (++depth > max_depth) return true;
    } else if (byte == ']' || byte == '}') {
      --depth;
    }
  }
  return false;
}

/// "line 2, column 6: '2}'"; `byte` counts from 1, and is beyond the text where that ends too early.
std::string place_in(std::string_view text, std::size_t byte) {
  constexpr std::size_t most_shown = 20;
  const auto before = text.substr(0, byte - std::min<std::size_t>(byte, 1));
  const auto line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto rest = text.substr(before.size());
  const auto shown = rest.substr(0, std::min(most_shown, rest.find('\n')));
  return fmt::format("line {}, column {}: {}", 1 + std::count(before.begin(), before.end(), '\n'),
                     before.size() - line_begin + 1,
                     rest.empty() ? "the text ends" : fmt::format("'{}'", shown));
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what) {
  if (is_too_deep(text))
    return fail(ErrorCode::corrupt, "{}: not valid JSON: nested more than {} deep", what, max_depth);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fail(ErrorCode::corrupt, "{}: not valid JSON at {}", what, place_in(text, error.byte));
  } catch (const Json::exception&) {
    return fail(ErrorCode::corrupt, "{}: not valid JSON: a number that no double holds", what);
  }
}

std::string dump_json(const Json& value, bool indent) {
  const auto dump = [&](bool in_ascii) {
    return value.dump(indent ? 2 : -1, ' ', in_ascii, Json::error_handler_t::replace);
  };
  auto text = dump(false);
  const auto has = [&](char byte) { return text.find(byte) != std::string::npos; };
  const auto is_shown = [](char shown, char given) { return shown == given || given == '\n'; };
  const bool is_harmless =
      std::ranges::none_of(std::string_view("\x7F\xC2\xE2"), has) ||  // DEL, C1, direction of text
      std::ranges::equal(printable(text), text, is_shown);
  return is_harmless ? text : dump(true);
}

namespace detail {

tl::unexpected<Error> about(const std::string& path, tl::unexpected<Error> error) {
  error.value().subject = path;
  return error;
}

tl::unexpected<Error> wrong_type(const Json& json, std::string_view expected, const std::string& path) {
  auto shown = dump_json(json);
  if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
  return about(path, fail(ErrorCode::invalid_argument, "{}: expected {}, got {}",
                          path.empty() ? "input" : path, expected, shown));
}

tl::unexpected<Error> no_number(const Json& json, const std::string& path) {
  auto error = wrong_type(json, "a number", path);
  if (unit_of_name(path) == unit::seconds) error.value().add_hint("seconds, without a unit");
  return error;
}

void rename(Json& object, std::string_view from, std::string_view to) {
  if (from.empty() || !object.contains(from) || object.contains(to)) return;
  Json renamed = Json::object();
  for (auto& [key, value] : object.items()) renamed[key == from ? std::string(to) : key] = std::move(value);
  object = std::move(renamed);
}

Status check_range(double value, Range range, const std::string& path) {
  const bool any = range.low == Range{}.low && range.high == Range{}.high;  // then null may stand for unknown
  if (range.holds(value) || (any && std::isnan(value))) return {};
  if (std::isnan(value)) return about(path, fail(ErrorCode::invalid_argument, "{}: expected a number", path));
  const bool is_low = value < range.low;
  return about(path, fail(ErrorCode::invalid_argument, "{}: {} is {} {}", path, value,
                          is_low ? "below" : "above", is_low ? range.low : range.high));
}

/// A bare number is read as text is: only zero needs no unit.
Status read_seconds(const Json& json, Seconds& out, const std::string& path) {
  if (!json.is_string() && !json.is_number()) return wrong_type(json, "a time with its unit, as 30s", path);
  const auto length = parse_seconds(json.is_string() ? json.get<std::string>() : dump_json(json));
  if (!length) return about(path, fail(length.error().code, "{} {}", path, length.error().message));
  out = *length;
  return {};
}

Result<std::int64_t> whole_number(const Json& json, const std::string& path, std::int64_t low,
                                  std::uint64_t high) {
  const auto outside = [&] {
    return about(path, fail(ErrorCode::invalid_argument, "{}: {} is not between {} and {}", path,
                            dump_json(json), low, high));
  };
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > high) return outside();
    return static_cast<std::int64_t>(value);
  }
  if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    if (value < low || (value > 0 && static_cast<std::uint64_t>(value) > high)) return outside();
    return value;
  }
  if (json.is_number_float()) {  // 1e3 is a whole number too
    const auto value = json.get<double>();
    if (std::floor(value) != value) return wrong_type(json, "a whole number", path);
    if (!(value >= static_cast<double>(low) && value < std::min(static_cast<double>(high) + 1, 9.2e18)))
      return outside();
    return static_cast<std::int64_t>(value);
  }
  return wrong_type(json, "a whole number", path);
}

}  // namespace detail
}  // namespace neph
