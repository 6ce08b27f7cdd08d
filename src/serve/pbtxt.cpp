#include "serve/pbtxt.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/json.hpp"

namespace neph::serve {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr int most_nesting = 32;
constexpr char no_more = '\0';

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// Of a name or number: also "1.5e-3", whose sign scan_word() sees to.
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '.'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

/// The whole text as a number of that type and base.
template <class Number, class... Base>
std::optional<Number> number_of(std::string_view text, Base... base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Without its sign: decimal, hexadecimal, or octal.
std::optional<std::uint64_t> magnitude_of(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) return number_of<std::uint64_t>(word.substr(2), 16);
  if (word.size() > 1 && word.front() == '0') return number_of<std::uint64_t>(word.substr(1), 8);
  return number_of<std::uint64_t>(word, 10);
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  Result<Json> run() {
    NEPH_TRY(auto all, message(no_more, 0));
    return all;
  }

 private:
  // ---- Fields and values

  /// Up to the bracket that ends it, which is taken.
  Result<Json> message(char end, int depth) {
    if (depth > most_nesting) return wrong(fmt::format("messages nested more than {} deep", most_nesting));
    Json fields = Json::object();
    for (;;) {
      skip_space();
      if (at_ == text_.size() && end != no_more)
        return wrong(fmt::format("'{}' is missing at the end of the file", end));
      if (at_ == text_.size()) return fields;
      if (end != no_more && take(end)) return fields;
      NEPH_CHECK(field(fields, depth));
    }
  }

  Status field(Json& fields, int depth) {
    NEPH_TRY(const auto name, field_name());
    auto& values = fields[name];
    if (values.is_null()) values = Json::array();
    skip_space();
    const bool has_colon = take(':');
    skip_space();
    if (!has_colon && peek() != '{' && peek() != '<' && peek() != '[')
      return wrong(fmt::format("':' or '{{' is missing behind '{}'", name));
    if (peek() == '[')
      NEPH_CHECK(list(values, depth));
    else
      NEPH_CHECK(add_value(values, depth));
    skip_space();
    if (!take(',')) take(';');
    return {};
  }

  Status list(Json& values, int depth) {
    take('[');
    skip_space();
    if (take(']')) return {};
    for (;;) {
      NEPH_CHECK(add_value(values, depth));
      skip_space();
      if (take(']')) return {};
      if (!take(',')) return wrong("',' or ']' is missing in a list");
      skip_space();
    }
  }

  Status add_value(Json& values, int depth) {
    NEPH_TRY(auto value, value_at(depth));
    values.push_back(std::move(value));
    return {};
  }

  Result<Json> value_at(int depth) {
    if (take('{')) return message('}', depth + 1);
    if (take('<')) return message('>', depth + 1);
    if (peek() == '"' || peek() == '\'') return strings();
    return scalar();
  }

  /// Also "[name.of.an.extension]".
  Result<std::string> field_name() {
    if (peek() == '[') {
      const auto end = text_.find(']', at_);
      if (end == text_.npos) return wrong("']' is missing");
      const auto name = text_.substr(at_, end + 1 - at_);
      at_ = end + 1;
      return std::string(name);
    }
    if (!is_letter(peek())) return wrong("the name of a field is missing");
    return std::string(scan_word());
  }

  Result<Json> scalar() {
    const bool is_negative = take('-');
    skip_space();
    const auto word = scan_word();
    if (word.empty()) return wrong("a value is missing");
    if (word == "true" && !is_negative) return Json(true);
    if (word == "false" && !is_negative) return Json(false);
    if (is_letter(word.front())) return Json((is_negative ? "-" : "") + std::string(word));
    return number(word, is_negative);
  }

  Result<Json> number(std::string_view word, bool is_negative) const {
    if (const auto whole = magnitude_of(word)) {
      if (!is_negative) return Json(*whole);
      if (*whole > std::uint64_t{1} << 63) return wrong(fmt::format("-{} is beyond 64 bits", word));
      return Json(static_cast<std::int64_t>(std::uint64_t{0} - *whole));
    }
    auto digits = word;
    if (digits.ends_with('f') || digits.ends_with('F')) digits.remove_suffix(1);
    if (const auto real = number_of<double>(digits)) return Json(is_negative ? -*real : *real);
    return wrong(fmt::format("'{}' is no number of 64 bits", word));
  }

  // ---- Text

  /// Those that stand side by side are one.
  Result<Json> strings() {
    std::string all;
    while (peek() == '"' || peek() == '\'') {
      NEPH_CHECK(string(all));
      skip_space();
    }
    return Json(std::move(all));
  }

  Status string(std::string& all) {
    const char quote = text_[at_++];
    for (;;) {
      const char c = peek();
      if (at_ == text_.size() || c == '\n') return wrong(fmt::format("{} is missing behind text", quote));
      ++at_;
      if (c == quote) return {};
      if (c != '\\') {
        all += c;
        continue;
      }
      NEPH_TRY(const char escaped, escape());
      all += escaped;
    }
  }

  Result<char> escape() {
    static constexpr std::string_view letters = "abfnrtv?\\'\"", meant = "\a\b\f\n\r\t\v?\\'\"";
    const char c = peek();
    if (const auto known = letters.find(c); known != letters.npos && at_ < text_.size()) {
      ++at_;
      return meant[known];
    }
    const bool is_hex = c == 'x' || c == 'X';
    if (is_hex) ++at_;
    const auto begin = at_;
    const auto most = begin + (is_hex ? 2 : 3);
    const std::string_view digits = is_hex ? "0123456789abcdefABCDEF" : "01234567";
    while (at_ < std::min(most, text_.size()) && digits.find(text_[at_]) != digits.npos) ++at_;
    const auto value = number_of<unsigned>(text_.substr(begin, at_ - begin), is_hex ? 16 : 8);
    if (!value || *value > 255)
      return wrong("a backslash in text stands before a letter that has no meaning");
    return static_cast<char>(*value);
  }

  // ---- Letters

  char peek() const { return at_ < text_.size() ? text_[at_] : no_more; }

  bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  std::string_view scan_word() {
    const auto begin = at_;
    const auto is_exponent_sign = [&] {
      const bool in_number = at_ > begin && is_digit(text_[begin]);
      return in_number && (text_[at_] == '-' || text_[at_] == '+') &&
             (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    };
    while (at_ < text_.size() && (is_word(text_[at_]) || is_exponent_sign())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (is_space(text_[at_]))
        ++at_;
      else
        return;
    }
  }

  tl::unexpected<Error> wrong(const std::string& fault) const {
    const auto before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    return fail(ErrorCode::invalid_argument, "{}, line {}, column {}: {}", what_, line, at_ - begin + 1,
                fault);
  }

  std::string_view text_, what_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> parse_pbtxt(std::string_view text, std::string_view what) {
  if (text.size() > most_bytes)
    return fail(ErrorCode::invalid_argument, "{}: {} bytes; a model's configuration has at most {}", what,
                text.size(), most_bytes);
  return Parser(text, what).run();
}

}  // namespace neph::serve
