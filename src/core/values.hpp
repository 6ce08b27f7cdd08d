// Values as people write them on a command line: "8", "1,2,4", "1..8", "1..64*2", "10..50+10", "f32,bf16",
// "on,off".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"

namespace neph {

/// Splits a list at its commas and expands its ranges: a..b counts by one, a..b+s by s, a..b*f multiplies by
/// f; both ends belong to a range if the steps meet them. Errors: an empty part, a range that never ends,
/// over 10,000 values.
Result<std::vector<std::string>> expand_values(std::string_view text);

/// One value as the field's type wants it: on/off and yes/no for bool, names for enums, numbers for numbers.
template <class T>
Json value_as_json(const std::string& text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "on" || text == "yes" || text == "true") return true;
    if (text == "off" || text == "no" || text == "false") return false;
    return text;
  } else if constexpr (std::is_arithmetic_v<T>) {
    const auto number = Json::parse(text, nullptr, false);
    return number.is_number() ? number : Json(text);
  } else {
    return text;
  }
}

/// A value as a person writes it: value_as_json's inverse.
std::string value_as_text(const Json& value);

/// A field's name as an option: "warmup_max_s" is given as "--warmup-max-s".
std::string option_name(std::string_view field);

/// Quoted for a POSIX shell if it needs to be.
std::string shell_quoted(const std::string& text);

/// The words of a command line that shell_quoted() made: its inverse.
std::vector<std::string> shell_words(std::string_view command);

}  // namespace neph
