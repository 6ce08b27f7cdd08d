#define TOML_EXCEPTIONS 0
#include "core/toml.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <toml++/toml.h>

namespace neph {
namespace {

/// Larger is no file that a person wrote; what is refused is not parsed.
constexpr std::size_t max_bytes = 64 * 1024;
/// Tables are made, read and destroyed by recursion, so depth is stack: text from outside must not choose it.
/// toml++ limits brackets but not the dots of a key ("a.a.a"). Nothing of ours is deeper than 2.
constexpr int max_depth = 8;

/// Where the text that is quoted from `begin` on ends: the place behind its last quote, or the end of what
/// no longer is TOML.
std::size_t behind_quotes(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string three(3, quote);
  const bool many_lines = text.substr(begin, 3) == three;
  for (std::size_t i = begin + (many_lines ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (many_lines && text.substr(i, 3) == three) {
      return std::min(text.find_first_not_of(quote, i), text.size());  // up to two more belong to the text
    } else if (!many_lines && (text[i] == quote || text[i] == '\n')) {
      return i + 1;
    }
  }
  return text.size();
}

bool is_too_deep(std::string_view text) {
  int brackets = 0;
  int dots = 0;  // of one key or number
  for (std::size_t i = 0; i < text.size();) {
    const char byte = text[i];
    if (byte == '"' || byte == '\'') {
      i = behind_quotes(text, i);
      continue;
    }
    if (byte == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (byte == '=' || byte == ',' || byte == '\n') dots = 0;
    if (byte == '.') ++dots;
    if (byte == '[' || byte == '{') ++brackets;
    if (byte == ']' || byte == '}') --brackets;
    if (std::max(brackets, dots) > max_depth) return true;
    ++i;
  }
  return false;
}

Json as_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = as_json(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const auto& value : *array) list.push_back(as_json(value));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) {
    if (std::isfinite(number->get())) return number->get();
    return fmt::format("{}", number->get());  // as text nan and inf are refused where a number is needed
  }
  if (const auto* flag = node.as_boolean()) return flag->get();
  std::ostringstream date;
  if (const auto* value = node.as_date()) date << *value;
  if (const auto* value = node.as_time()) date << *value;
  if (const auto* value = node.as_date_time()) date << *value;
  return date.str();
}

}  // namespace

Result<Json> parse_toml(std::string_view text, std::string_view what) {
  if (text.size() > max_bytes)
    return fail(ErrorCode::corrupt, "{}: larger than {} KiB, too large for a file of settings", what,
                max_bytes / 1024);
  if (is_too_deep(text))
    return fail(ErrorCode::corrupt, "{}: not valid TOML: nested more than {} deep", what, max_depth);
  const auto parsed = toml::parse(text);
  if (parsed) return as_json(parsed.table());
  const auto& where = parsed.error().source().begin;
  return fail(ErrorCode::corrupt, "{}:{}:{}: not valid TOML: {}", what, where.line, where.column,
              parsed.error().description());
}

}  // namespace neph
