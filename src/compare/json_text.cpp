#include "compare/json_text.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/json.hpp"

namespace neph::compare {
namespace {

constexpr std::array<std::string_view, 4> no_numbers{"-NaN", "NaN", "-Infinity", "Infinity"};

/// How many bytes a number that is none takes here; 0: there is none.
std::size_t length_of_none(std::string_view rest) {
  for (const auto word : no_numbers)
    if (rest.starts_with(word)) return word.size();
  return 0;
}

/// Outside of texts.
std::string with_nulls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    if (quoted && text[i] == '\\')
      length = std::min<std::size_t>(2, text.size() - i);
    else if (text[i] == '"')
      quoted = !quoted;
    else if (const auto none = quoted ? 0 : length_of_none(text.substr(i)); none > 0) {
      out += "null";
      i += none;
      continue;
    }
    out += text.substr(i, length);
    i += length;
  }
  return out;
}

}  // namespace

Result<Json> parse_json_of_others(std::string_view text, std::string_view what) {
  const bool is_plain = text.find("NaN") == text.npos && text.find("Infinity") == text.npos;
  return is_plain ? parse_json(text, what) : parse_json(with_nulls(text), what);
}

}  // namespace neph::compare
