#include "wire/json/json_cursor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace neph::wire {
namespace {

/// What stands for itself in a string and is one byte.
constexpr auto plain = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x80; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

constexpr std::uint64_t ones = 0x0101010101010101;  // a byte of 1, eight times

std::size_t write_utf8(std::uint32_t c, char* to) {
  const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (c < 0x80) return put(c), 1;
  if (c < 0x800) return put(0xC0 | c >> 6), put(0x80 | (c & 0x3F)), 2;
  if (c < 0x10000) return put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F)), 3;
  return put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)),
         put(0x80 | (c & 0x3F)), 4;
}

}  // namespace

JsonCursor::JsonCursor(std::string_view text)
    : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) at_ += byte_order_mark.size();
}

bool JsonCursor::fail_at(const char* at, Fault fault) {
  if (fault_ == Fault::none) {
    fault_ = fault;
    fault_at_ = at;
  }
  return false;
}

tl::unexpected<Error> JsonCursor::error() const {
  constexpr auto wrong = ErrorCode::invalid_argument;
  if (fault_ == Fault::nesting) return fail(wrong, "nested deeper than {}", max_nesting);
  if (fault_ == Fault::number)
    return fail(wrong,
                "a number beyond all doubles, or a whole one beyond 64 bits without point and exponent");
  const auto byte = fault_at_ - begin_;
  if (fault_at_ == end_) return fail(wrong, "not JSON at byte {}: the text ends", byte);
  return fail(
      wrong, "not JSON at byte {}: '{}'", byte,
      std::string_view(fault_at_, static_cast<std::size_t>(std::min<std::ptrdiff_t>(20, end_ - fault_at_))));
}

bool JsonCursor::skip() {
  const auto kind = this->kind();
  if (kind == JsonKind::object)
    return each_field([&](std::string_view) { return skip(), status(); }).has_value();
  if (kind == JsonKind::array) return each_entry([&] { return skip(), status(); }).has_value();
  if (kind == JsonKind::text) return text_pieces([](std::string_view) {});
  if (kind == JsonKind::number) return number().has_value();
  return kind == JsonKind::boolean ? boolean().has_value() : kind == JsonKind::null && null();
}

bool JsonCursor::literal(std::string_view word) {
  if (!std::string_view(at_, bytes_left()).starts_with(word)) return fail_at(at_);
  at_ += word.size();
  return true;
}

std::optional<bool> JsonCursor::boolean() {
  const bool value = *at_ == 't';
  if (!literal(value ? "true" : "false")) return std::nullopt;
  return value;
}

bool JsonCursor::at_end() {
  pass_space();
  return at_ == end_ || fail_at(at_);
}

// ---- Numbers

std::optional<JsonNumber> JsonCursor::any_number() {
  const char* const begin = at_;
  const auto take = [&](char c) { return at_ != end_ && *at_ == c && ++at_ != nullptr; };
  const auto take_digits = [&] {
    const char* const first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != first || fail_at(at_);
  };
  const bool negative = take('-');
  if (!take('0') && !take_digits()) return std::nullopt;
  const char* const whole_end = at_;
  if (take('.') && !take_digits()) return std::nullopt;
  if (take('e') || take('E')) {
    if (!take('-')) take('+');
    if (!take_digits()) return std::nullopt;
  }
  JsonNumber number;
  bool fits = true;
  if (at_ != whole_end) {
    number.kind = JsonNumber::Kind::real;
    if (std::from_chars(begin, at_, number.real).ec == std::errc{}) return number;
    constexpr std::ptrdiff_t max_looked_at = 1000;  // too small, which is 0, or too large?
    number.real =
        at_ - begin < max_looked_at ? std::strtod(std::string(begin, at_).c_str(), nullptr) : HUGE_VAL;
    fits = std::isfinite(number.real);
  } else if (negative) {
    number.kind = JsonNumber::Kind::negative;
    fits = std::from_chars(begin, at_, number.negative).ec == std::errc{};
    if (number.negative == 0) number.kind = JsonNumber::Kind::natural;
  } else {
    fits = std::from_chars(begin, at_, number.natural).ec == std::errc{};
  }
  if (!fits) return fail_at(begin, Fault::number), std::nullopt;
  return number;
}

// ---- Texts

/// To the next quote or backslash.
bool JsonCursor::pass_plain() {
  for (;;) {
    for (std::uint64_t eight = 0; end_ - at_ >= 8; at_ += 8) {
      std::memcpy(&eight, at_, 8);
      const auto quotes = eight ^ 0x22 * ones, backslashes = eight ^ 0x5C * ones;
      if (((eight - 0x20 * ones) | (quotes - ones) | (backslashes - ones) | eight) & 0x80 * ones) break;
    }
    while (at_ != end_ && plain[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ == end_) return fail_at(at_);
    if (*at_ == '"' || *at_ == '\\') return true;
    const auto lead = static_cast<unsigned char>(*at_);
    const std::size_t bytes = lead < 0x80 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (bytes == 0 || bytes > bytes_left() || !is_utf8({at_, bytes})) return fail_at(at_);
    at_ += bytes;
  }
}

std::optional<std::uint32_t> JsonCursor::hex() {
  std::uint32_t value = 0;
  const auto* const last = at_ + std::min<std::size_t>(4, bytes_left());
  if (const auto end = std::from_chars(at_, last, value, 16).ptr; end != at_ + 4)
    return fail_at(end), std::nullopt;
  at_ += 4;
  return value;
}

/// Passes what stands behind a backslash. Bytes of the character; 0: it is none.
std::size_t JsonCursor::unescape(char* character) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  const auto simple = at_ == end_ ? letters.npos : letters.find(*at_);
  if (simple != letters.npos) return ++at_, *character = meant[simple], 1;
  if (at_ == end_ || *at_ != 'u') return fail_at(at_), 0;
  const char* const begin = at_++;
  auto code = hex();
  if (!code) return 0;
  const auto is_half = [](std::uint32_t c, std::uint32_t first) { return c >= first && c < first + 0x400; };
  if (is_half(*code, 0xD800) && std::string_view(at_, bytes_left()).starts_with("\\u")) {
    at_ += 2;
    const auto second = hex();
    if (!second) return 0;
    if (is_half(*second, 0xDC00))
      return write_utf8(0x10000 + ((*code - 0xD800) << 10) + (*second - 0xDC00), character);
  }
  if (*code >= 0xD800 && *code < 0xE000) return fail_at(begin), 0;  // half a pair
  return write_utf8(*code, character);
}

std::optional<std::string_view> JsonCursor::text(std::string& scratch) {
  const char* const begin = at_ + 1;
  ++at_;
  if (!pass_plain()) return std::nullopt;
  if (*at_ == '"') return std::string_view(begin, static_cast<std::size_t>(at_++ - begin));
  at_ = begin - 1;
  scratch.clear();
  const auto append = [&](std::string_view piece) {
    scratch += piece.substr(0, max_decoded_bytes - std::min(max_decoded_bytes, scratch.size()));
  };
  if (!text_pieces(append)) return std::nullopt;
  return scratch;
}

std::optional<std::string_view> JsonCursor::key() {
  pass_space();
  if (at_ == end_ || *at_ != '"') return fail_at(at_), std::nullopt;
  const auto key = text(key_);
  pass_space();
  if (!key || at_ == end_ || *at_ != ':') return fail_at(at_), std::nullopt;
  ++at_;
  return key;
}

}  // namespace neph::wire
