// A JSON text, read value by value from its beginning to its end (RFC 8259). No document is built: whatever
// the text holds, reading takes no memory beside what the caller keeps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.hpp"
#include "core/text.hpp"

namespace neph::wire {

enum class JsonKind { none, object, array, text, number, boolean, null };

/// What kind of value begins with a byte.
inline constexpr auto kinds = [] {
  std::array<JsonKind, 256> table{};
  table['{'] = JsonKind::object;
  table['['] = JsonKind::array;
  table['"'] = JsonKind::text;
  table['t'] = table['f'] = JsonKind::boolean;
  table['n'] = JsonKind::null;
  table['-'] = JsonKind::number;
  for (std::size_t c = '0'; c <= '9'; ++c) table[c] = JsonKind::number;
  return table;
}();

/// A whole number from 0 on, one below 0, or any other number.
struct JsonNumber {
  enum class Kind { natural, negative, real } kind = Kind::natural;
  std::uint64_t natural = 0;
  std::int64_t negative = 0;
  double real = 0;
};

/// Stands before a value or behind the last one; each value is taken by one call. What returns false or
/// nothing, and what returns a Status, has met something that is not JSON: status() says what and where.
/// Errors: invalid_argument.
class JsonCursor {
 public:
  static constexpr int max_nesting = 32;
  /// Of a text with escapes no more is decoded. Where texts of this length are refused, that is not seen.
  static constexpr std::size_t max_decoded_bytes = (std::size_t{1} << 20) + 1;

  explicit JsonCursor(std::string_view text);

  /// Of the value that comes next, by its first byte; `none`: it is no value.
  JsonKind kind() {
    pass_space();
    const auto kind = at_ == end_ ? JsonKind::none : kinds[static_cast<unsigned char>(*at_)];
    if (kind == JsonKind::none) fail_at(at_);
    return kind;
  }
  bool skip();
  std::optional<JsonNumber> number() {
    constexpr std::ptrdiff_t max_short = 18;  // digits that surely fit
    const char* at = at_;
    std::uint64_t natural = 0;
    for (; at != end_ && is_digit(*at) && at - at_ < max_short; ++at)
      natural = 10 * natural + static_cast<std::uint64_t>(*at - '0');
    if (at == end_ || at == at_ || (*at != ',' && *at != ']') || (*at_ == '0' && at - at_ > 1))
      return any_number();
    at_ = at;
    return JsonNumber{.natural = natural};
  }
  std::optional<bool> boolean();
  bool null() { return literal("null"); }
  /// A view of the JSON or of `scratch`.
  std::optional<std::string_view> text(std::string& scratch);

  /// Gives the text to `take` in pieces, which are gone when it returns.
  template <class Take>
  bool text_pieces(Take take) {
    ++at_;
    for (;;) {
      const char* const begin = at_;
      if (!pass_plain()) return false;
      if (at_ != begin) take(std::string_view(begin, static_cast<std::size_t>(at_ - begin)));
      if (*at_++ == '"') return true;
      char character[4];
      const auto bytes = unescape(character);
      if (bytes == 0) return false;
      take(std::string_view(character, bytes));
    }
  }

  /// Calls `take` with each key, which is valid until the next one is read; it takes the value.
  template <class Take>
  Status each_field(Take take) {
    bool first = true;
    for (enter(); next('}', first);) {
      const auto key = this->key();
      if (!key) break;
      NEPH_CHECK(take(*key));
    }
    return status();
  }
  /// Calls `take` at each entry of a list, which it takes.
  template <class Take>
  Status each_entry(Take take) {
    bool first = true;
    for (enter(); next(']', first);) NEPH_CHECK(take());
    return status();
  }
  /// Whether nothing but space is left.
  bool at_end();

  struct Position {
    const char* at;
    int nesting;
  };
  Position position() const { return {at_, nesting_}; }
  void go_to(Position position) {
    at_ = position.at;
    nesting_ = position.nesting;
  }
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

  Status status() const {
    if (fault_ == Fault::none) return {};
    return error();
  }
  tl::unexpected<Error> error() const;

 private:
  enum class Fault { none, syntax, nesting, number };

  bool fail_at(const char* at, Fault fault = Fault::syntax);
  void pass_space() {
    while (at_ != end_ && *at_ <= ' ' && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  void enter() {
    if (++nesting_ > max_nesting) fail_at(at_, Fault::nesting);
    ++at_;
  }
  /// Whether there is another entry before `close`, which it passes.
  bool next(char close, bool& first) {
    if (fault_ != Fault::none) return false;
    pass_space();
    if (at_ != end_ && *at_ == close) return ++at_, --nesting_, false;
    if (std::exchange(first, false)) return true;
    return at_ != end_ && *at_ == ',' ? ++at_ != nullptr : fail_at(at_);
  }
  std::optional<std::string_view> key();
  std::optional<JsonNumber> any_number();
  bool literal(std::string_view word);
  bool pass_plain();
  std::size_t unescape(char* character);
  std::optional<std::uint32_t> hex();

  const char* const begin_;
  const char* at_;
  const char* const end_;
  int nesting_ = 0;
  Fault fault_ = Fault::none;
  const char* fault_at_ = nullptr;
  std::string key_;
};

}  // namespace neph::wire
