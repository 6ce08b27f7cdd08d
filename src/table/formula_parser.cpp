// Formulas from their text, by recursive descent:
//
//   list    = sum { ("," | ";") sum }
//   sum     = product { ("+" | "-") product }
//   product = signed { ("*" | "/") signed }
//   signed  = ("+" | "-") signed | power
//   power   = atom [ "^" signed ]
//   atom    = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/names.hpp"
#include "core/text.hpp"
#include "table/formula.hpp"
#include "table/formula_words.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::table {
namespace {

constexpr std::size_t longest_text = std::size_t{64} << 10;
constexpr std::size_t most_steps = 1000;
constexpr int deepest = 100;
constexpr std::size_t most_names_told = 20;
constexpr std::size_t shown_before = 60, shown_behind = 40;  ///< bytes of a text around its fault

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

/// The text, or what of it stands around byte `at`, and below it a sign that points there.
std::string pointed_at(std::string_view text, std::size_t at) {
  std::size_t begin = at > shown_before ? at - shown_before : 0;
  while (begin > 0 && begin < at && is_inside_character(text[begin])) ++begin;
  std::size_t end = std::min(text.size(), at + shown_behind);
  while (end < text.size() && is_inside_character(text[end])) ++end;
  const std::string before = (begin > 0 ? "…" : "") + printable(text.substr(begin, at - begin));
  const std::string behind = printable(text.substr(at, end - at)) + (end < text.size() ? "…" : "");
  return fmt::format("\n  {}{}\n  {}^", before, behind, std::string(display_width(before), ' '));
}

}  // namespace

class FormulaParser {
 public:
  FormulaParser(std::string_view text, const Table& table) : text_(text), table_(table) {}

  Result<Formula> one() {
    NEPH_TRY(auto formula, next());
    if (!at_end()) return fault("an operator is missing here");
    return formula;
  }

  Result<std::vector<Formula>> list() {
    std::vector<Formula> all;
    do {
      NEPH_TRY(auto formula, next());
      all.push_back(std::move(formula));
    } while (take(',') || take(';'));
    if (!at_end()) return fault("an operator is missing here");
    return all;
  }

 private:
  tl::unexpected<Error> fault(std::string_view what, ErrorCode code = ErrorCode::invalid_argument) const {
    return fault_at(at_, what, code);
  }
  tl::unexpected<Error> fault_at(std::size_t at, std::string_view what,
                                 ErrorCode code = ErrorCode::invalid_argument) const {
    return fail(code, "{}{}", what, pointed_at(text_, at));
  }

  bool at_end() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ == text_.size();
  }
  char seen() { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Status add(Formula::Kind kind, std::int32_t count, double number = 0) {
    if (formula_.steps_.size() == most_steps)
      return fault(fmt::format("it has more than {} numbers, names and operators", most_steps));
    formula_.steps_.push_back({kind, number, count});
    return {};
  }

  Result<Formula> next() {
    if (text_.size() > longest_text)
      return fail(ErrorCode::invalid_argument, "it is longer than {} bytes", longest_text);
    formula_ = {};
    written_ = 0;
    NEPH_CHECK(sum());
    if (formula_.text().size() > longest_text)
      return fail(ErrorCode::invalid_argument, "with its columns' whole names it is longer than {} bytes",
                  longest_text);
    return std::move(formula_);
  }

  Status sum() {
    NEPH_CHECK(product());
    for (;;) {
      const char sign = seen();
      if (sign != '+' && sign != '-') return {};
      ++at_;
      NEPH_CHECK(product());
      NEPH_CHECK(add(sign == '+' ? Formula::Kind::add : Formula::Kind::subtract, 2));
    }
  }
  Status product() {
    NEPH_CHECK(signed_power());
    for (;;) {
      const char sign = seen();
      if (sign != '*' && sign != '/') return {};
      ++at_;
      if (sign == '*' && seen() == '*') return fault("powers are written with ^");
      NEPH_CHECK(signed_power());
      NEPH_CHECK(add(sign == '*' ? Formula::Kind::multiply : Formula::Kind::divide, 2));
    }
  }
  Status signed_power() {
    if (depth_ == deepest) return fault(fmt::format("it is nested more than {} deep", deepest));
    ++depth_;
    if (take('-')) {
      NEPH_CHECK(signed_power());
      NEPH_CHECK(add(Formula::Kind::negate, 1));
    } else if (take('+')) {
      NEPH_CHECK(signed_power());
    } else {
      NEPH_CHECK(atom());
      if (take('^')) {
        NEPH_CHECK(signed_power());
        NEPH_CHECK(add(Formula::Kind::power, 2));
      }
    }
    --depth_;
    return {};
  }
  Status atom() {
    const char c = seen();
    if (c == '(') return bracket();
    if (is_digit(c) || c == '.') return number();
    if (const char end = closing_of(c); end != '\0') return quoted(end);
    if (begins_name(c)) return name();
    if (at_end()) return fault("a number, a column or '(' is missing at the end");
    return fault("a number, a column or '(' is missing here");
  }
  Status bracket() {
    const auto begin = at_++;
    NEPH_CHECK(sum());
    if (take(')')) return {};
    if (at_end()) return fault_at(begin, "this bracket is not closed");
    return fault("an operator or ')' is missing here");
  }
  Status number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) return fault("this number is too large or too small");
    if (error != std::errc()) return fault("this is no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return add(Formula::Kind::number, 0, value);
  }
  Status quoted(char end) {
    const auto begin = at_++;
    std::string name;
    for (;; ++at_) {
      if (at_ == text_.size()) return fault_at(begin, "this quote is not closed");
      if (text_[at_] == end && (at_ + 1 == text_.size() || text_[at_ + 1] != end)) break;
      if (text_[at_] == end) ++at_;
      name += text_[at_];
    }
    ++at_;
    return column(name, begin);
  }
  Status name() {
    const auto begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    const auto word = text_.substr(begin, at_ - begin);
    if (seen() != '(') return column(std::string(word), begin);
    for (const auto& function : functions)
      if (function.name == word) return call(function);
    std::vector<std::string> known;
    for (const auto& function : functions) known.emplace_back(function.name);
    return fault_at(begin,
                    unknown_name(ErrorCode::not_found, "function", printable(word), known).value().text(),
                    ErrorCode::not_found);
  }
  Status call(const Function& function) {
    const auto begin = at_++;
    std::int32_t count = 0;
    do {
      NEPH_CHECK(sum());
      ++count;
    } while (take(','));
    if (!take(')')) {
      if (at_end()) return fault_at(begin, "this bracket is not closed");
      return fault("an operator, ',' or ')' is missing here");
    }
    if (function.takes_many ? count < 2 : count != 1)
      return fault_at(begin, fmt::format("{} takes {}", function.name,
                                         function.takes_many ? "two values or more" : "one value"));
    return add(function.kind, count);
  }

  Status column(const std::string& name, std::size_t begin) {
    const auto place = table_.find(name);
    if (!place) return no_column(name, begin, place.error());
    const auto& found = table_.columns[*place];
    if (found.is_text() && !embedded_numbers(found))
      return fault_at(begin, fmt::format("the column '{}' has text, as '{}': a term is made of numbers",
                                         printable(found.name), printable(found.levels.front())));
    written_ += written_name(found.name).size();
    if (written_ > longest_text) return fault_at(begin, "the names of its columns are too long");
    auto& used = formula_.columns_;
    const auto known = std::find(used.begin(), used.end(), found.name);
    const auto count = static_cast<std::int32_t>(known - used.begin());
    if (known == used.end()) used.push_back(found.name);
    return add(Formula::Kind::column, count);
  }
  Status no_column(const std::string& name, std::size_t begin, const Error& error) const {
    if (error.code != ErrorCode::not_found) return fault_at(begin, printable(error.message), error.code);
    std::vector<std::string> names;
    std::string told;
    for (const auto& column : table_.columns) {
      names.emplace_back(without_unit(column.name));
      if (names.size() <= most_names_told) told += (told.empty() ? "" : ", ") + names.back();
    }
    if (names.size() > most_names_told) told += ", ...";
    const auto near = nearest_name(name, names);
    return fault_at(begin,
                    fmt::format("there is no column '{}' (columns: {}{})", printable(name), printable(told),
                                near ? fmt::format("; did you mean '{}'?", printable(*near)) : ""),
                    ErrorCode::not_found);
  }

  std::string_view text_;
  const Table& table_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t written_ = 0;  ///< bytes that the columns' names take in text()
  Formula formula_;
};

Result<Formula> Formula::parse(std::string_view text, const Table& columns) {
  return FormulaParser(text, columns).one();
}

Result<std::vector<Formula>> parse_formulas(std::string_view text, const Table& columns) {
  return FormulaParser(text, columns).list();
}

}  // namespace neph::table
