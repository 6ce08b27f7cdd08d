#include "wire/json/text.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>

namespace neph::wire {
namespace {

/// Bytes of the UTF-8 character that begins at `at`; 0: none does (RFC 3629: no overlong forms, no
/// surrogates).
int utf8_length(const char* at, const char* end) {
  const auto byte = [&](int i) { return at + i < end ? static_cast<unsigned char>(at[i]) : 0U; };
  const auto follows = [&](int i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3)
               ? 4
               : 0;
  return 0;
}

void append_utf8(std::uint32_t character, std::string& text) {
  const auto last = [&](int shift) { return static_cast<char>(0x80 | (character >> shift & 0x3F)); };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += {static_cast<char>(0xC0 | character >> 6), last(0)};
  } else if (character < 0x10000) {
    text += {static_cast<char>(0xE0 | character >> 12), last(6), last(0)};
  } else {
    text += {static_cast<char>(0xF0 | character >> 18), last(12), last(6), last(0)};
  }
}

/// The four digits behind \u.
bool hexadecimal(const char*& at, const char* end, std::uint32_t& value) {
  if (end - at < 4) return false;
  const auto read = std::from_chars(at, at + 4, value, 16);
  if (read.ptr != at + 4) return false;
  at += 4;
  return true;
}

/// What follows \u: a character, perhaps of two halves (RFC 8259, 7).
bool unicode_escape(const char*& at, const char* end, std::string& text) {
  std::uint32_t character = 0;
  if (!hexadecimal(at, end, character)) return false;
  if (character >= 0xDC00 && character <= 0xDFFF) return false;
  if (character >= 0xD800 && character <= 0xDBFF) {
    std::uint32_t half = 0;
    if (end - at < 2 || at[0] != '\\' || at[1] != 'u') return false;
    at += 2;
    if (!hexadecimal(at, end, half) || half < 0xDC00 || half > 0xDFFF) return false;
    character = 0x10000 + ((character - 0xD800) << 10) + (half - 0xDC00);
  }
  append_utf8(character, text);
  return true;
}

/// What follows a backslash.
bool escape(const char*& at, const char* end, std::string& text) {
  if (at == end) return false;
  constexpr std::string_view names = "\"\\/bfnrt", characters = "\"\\/\b\f\n\r\t";
  const char name = *at++;
  if (name == 'u') return unicode_escape(at, end, text);
  const auto which = names.find(name);
  if (which == std::string_view::npos) return false;
  text += characters[which];
  return true;
}

}  // namespace

const char* unescape(const char*& at, const char* end, std::string& text) {
  for (;;) {
    const auto* plain = at;
    at = end_of_plain(at, end);
    text.append(plain, at);
    if (at == end) return "a text without an end";
    if (*at == '"') return ++at, nullptr;
    if (*at == '\\') {
      if (!escape(++at, end, text)) return "an escape that there is not";
    } else if (static_cast<unsigned char>(*at) < ' ') {
      return "a control character in a text";
    } else {
      const auto length = utf8_length(at, end);
      if (length == 0) return "a text that is not UTF-8";
      text.append(at, static_cast<std::size_t>(length));
      at += length;
    }
  }
}

bool is_tiny(std::string_view number) {
  const auto value = std::strtod(std::string(number).c_str(), nullptr);
  return value > -1 && value < 1;
}

}  // namespace neph::wire
