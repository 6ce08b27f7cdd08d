// JSON text as a stream of events (RFC 8259), for messages whose small JSON is read for every request and
// whose large JSON is mostly numbers: nothing is allocated but for strings with escapes.
//
// The general reader of core/json.hpp takes 70 instructions a byte, which was a third of what a small request
// cost the server; this takes about 10. What it accepts, and what it makes of it, is held against that reader
// by the tests.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "wire/json/text.hpp"

namespace neph::wire {

/// `Handler` has null(), boolean(bool), integer(std::int64_t), natural(std::uint64_t), real(double),
/// text(std::string_view), key(std::string_view), begin_object(), end_object(), begin_list(), end_list():
/// each returns false to stop; and fault(byte, words) for what is not JSON. Views are valid during the call.
/// It must refuse what is nested too deep, as each level takes some stack.
template <class Handler>
class JsonEvents {
 public:
  JsonEvents(std::string_view text, Handler& handler)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), handler_(handler) {}

  /// True: all of the text is one value, and no event was refused.
  bool read() {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with("\xEF\xBB\xBF")) at_ += 3;
    return value() && (next() == '\0' && at_ == end_ ? true : fault("something behind its end"));
  }

 private:
  bool fault(std::string_view words) {
    handler_.fault(static_cast<std::size_t>(at_ - begin_), words);
    return false;
  }

  /// The next character that is no space; 0 at the end.
  char next() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ == end_ ? '\0' : *at_;
  }

  bool value() {
    switch (next()) {
      case '{':
        return object();
      case '[':
        return list();
      case '"':
        return string() && handler_.text(string_);
      case 't':
        return word("true") && handler_.boolean(true);
      case 'f':
        return word("false") && handler_.boolean(false);
      case 'n':
        return word("null") && handler_.null();
      default:
        return number();
    }
  }

  bool object() {
    ++at_;
    if (!handler_.begin_object()) return false;
    if (next() == '}') return ++at_, handler_.end_object();
    for (;;) {
      if (next() != '"') return fault("a key in quotes is wanted");
      if (!string() || !handler_.key(string_)) return false;
      if (next() != ':') return fault("a colon is wanted");
      ++at_;
      if (!value()) return false;
      const char mark = next();
      if (mark != ',' && mark != '}') return fault("a comma or a closing brace is wanted");
      ++at_;
      if (mark == '}') return handler_.end_object();
    }
  }

  bool list() {
    ++at_;
    if (!handler_.begin_list()) return false;
    if (next() == ']') return ++at_, handler_.end_list();
    for (;;) {
      if (!value()) return false;
      const char mark = next();
      if (mark != ',' && mark != ']') return fault("a comma or a closing bracket is wanted");
      ++at_;
      if (mark == ']') return handler_.end_list();
    }
  }

  bool word(std::string_view wanted) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(wanted))
      return fault("a value is wanted");
    at_ += wanted.size();
    return true;
  }

  bool digits() {
    const auto* first = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != first;
  }

  bool number() {
    const auto* first = at_;
    const bool negative = at_ != end_ && *at_ == '-';
    if (negative) ++at_;
    const bool zero = at_ != end_ && *at_ == '0';
    if (!digits()) return fault(at_ == end_ ? "it is cut short" : "a value is wanted");
    if (zero && at_ - first > (negative ? 2 : 1)) return fault("a number with a 0 before it");
    bool whole = true;
    if (at_ != end_ && *at_ == '.') {
      whole = false;
      ++at_;
      if (!digits()) return fault("a number without digits behind its point");
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      whole = false;
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) return fault("a number without digits in its exponent");
    }
    return whole ? whole_number(first, negative) : real_number(first);
  }

  /// One beyond 64 bits is taken as a real number.
  bool whole_number(const char* first, bool negative) {
    if (negative) {
      std::int64_t value = 0;
      if (std::from_chars(first, at_, value).ec == std::errc{}) return handler_.integer(value);
    } else {
      std::uint64_t value = 0;
      if (std::from_chars(first, at_, value).ec == std::errc{}) return handler_.natural(value);
    }
    return real_number(first);
  }

  bool real_number(const char* first) {
    double value = 0;
    const auto read = std::from_chars(first, at_, value);
    if (read.ec == std::errc{}) return handler_.real(value);
    // Too large, or too small: only the latter is a number, and the nearest is 0 with its sign.
    if (!is_tiny({first, static_cast<std::size_t>(at_ - first)})) return fault("a number beyond all doubles");
    return handler_.real(*first == '-' ? -0.0 : 0.0);
  }

  /// Into string_: a view of the text, or of what its escapes stand for.
  bool string() {
    const auto* first = ++at_;
    at_ = end_of_plain(at_, end_);
    if (at_ != end_ && *at_ == '"') {
      string_ = {first, static_cast<std::size_t>(at_ - first)};
      ++at_;
      return true;
    }
    unescaped_.assign(first, at_);
    if (const auto* wrong = unescape(at_, end_, unescaped_); wrong != nullptr) return fault(wrong);
    string_ = unescaped_;
    return true;
  }

  const char* const begin_;
  const char* at_;
  const char* const end_;
  Handler& handler_;
  std::string_view string_;
  std::string unescaped_;
};

}  // namespace neph::wire
