// The characters of JSON strings and numbers.
#pragma once

#include <string>
#include <string_view>

namespace neph::wire {

/// Whether the character stands for itself in a JSON string, whatever is beside it: printable ASCII.
constexpr bool is_plain(char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; }

/// The first character that is not plain.
inline const char* end_of_plain(const char* at, const char* end) {
  while (at != end && is_plain(*at)) ++at;
  return at;
}

/// Appends what the string means whose rest begins at `at`, which is put behind its closing quote. Null, or
/// what is wrong with it: a control character, a broken escape, bytes that are not UTF-8 (RFC 3629).
const char* unescape(const char*& at, const char* end, std::string& text);

/// Whether a number that is out of the range of doubles is too small, not too large.
bool is_tiny(std::string_view number);

}  // namespace neph::wire
