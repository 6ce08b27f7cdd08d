#include "table/row_conditions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/ranges.h>

#include "core/lists.hpp"
#include "core/text.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::table {
namespace {

/// The longer ones first: "<=" begins as "<".
constexpr std::array<std::string_view, 6> comparisons{"<=", ">=", "!=", "<", ">", "="};

struct Condition {
  std::string_view comparison;
  const Column* column;
  std::optional<std::vector<double>> numbers;  ///< also those in its texts
  std::vector<std::string_view> values;

  bool is(std::size_t row, std::string_view value) const {
    if (column->is_text() && column->text(row) == value) return true;
    const auto number = number_of_cell(value);
    return number && numbers && (*numbers)[row] == *number;
  }
  bool holds(std::size_t row) const {
    if (comparison == "=" || comparison == "!=") {
      const bool one = std::ranges::any_of(values, [&](auto value) { return is(row, value); });
      return one == (comparison == "=");
    }
    const double own = (*numbers)[row], limit = *number_of_cell(values.front());
    if (comparison == "<=") return own <= limit;
    if (comparison == ">=") return own >= limit;
    return comparison == "<" ? own < limit : own > limit;
  }
};

/// "2, 4, 8", "numbers from 1 to 4096", "317 different texts"
std::string values_of(const Column& column) {
  constexpr std::size_t most_listed = 12;
  if (column.is_text()) {
    std::set<std::string_view> texts;  // levels of rows that were left out are no longer there
    for (const auto code : column.codes)
      if (code >= 0) texts.insert(column.levels[static_cast<std::size_t>(code)]);
    return texts.size() <= most_listed ? fmt::format("{}", fmt::join(texts, ", "))
                                       : fmt::format("{} different texts", texts.size());
  }
  std::set<double> numbers;
  std::ranges::copy_if(column.numbers, std::inserter(numbers, numbers.end()),
                       [](double number) { return !std::isnan(number); });
  if (numbers.empty()) return "no values";
  if (numbers.size() <= most_listed) return fmt::format("{}", fmt::join(numbers, ", "));
  return fmt::format("numbers from {} to {}", *numbers.begin(), *numbers.rbegin());
}

/// A value that is nowhere was mistyped, or means another column.
Status check_values(const Condition& condition, std::size_t rows) {
  for (const auto value : condition.values) {
    bool is_there = false;
    for (std::size_t row = 0; row < rows && !is_there; ++row) is_there = condition.is(row, value);
    if (!is_there)
      return fail(ErrorCode::invalid_argument, "no row that is fitted to has '{}' in '{}': it has {}", value,
                  condition.column->name, values_of(*condition.column));
  }
  return {};
}

Result<Condition> parse_condition(std::string_view text, const Table& rows) {
  const auto place = text.find_first_of("<>=!");
  const auto* comparison = std::ranges::find_if(comparisons, [&](std::string_view each) {
    return place != text.npos && text.substr(place).starts_with(each);
  });
  if (comparison == comparisons.end())
    return fail(ErrorCode::invalid_argument,
                "'{}' is no condition: a column, one of <= >= != < > =, and a value are needed, as in "
                "'gpus<=4'",
                text);
  NEPH_TRY(const auto index, rows.find(trimmed(text.substr(0, place))));
  const auto& column = rows.columns[index];
  const Condition condition{.comparison = *comparison,
                            .column = &column,
                            .numbers = as_numbers(column),
                            .values = split_at(text.substr(place + comparison->size()), '|')};
  const auto& values = condition.values;
  if (std::ranges::any_of(values, &std::string_view::empty))
    return fail(ErrorCode::invalid_argument, "'{}' has no value behind '{}'", text, *comparison);
  if (*comparison == "=" || *comparison == "!=") {
    NEPH_CHECK(check_values(condition, rows.rows));
  } else if (!condition.numbers || values.size() != 1 || !number_of_cell(values[0])) {
    return fail(ErrorCode::invalid_argument,
                "'{}': '{}' compares a column of numbers with one number; texts have = and !=", text,
                *comparison);
  }
  return condition;
}

}  // namespace

Result<std::vector<bool>> rows_where(std::string_view conditions, const Table& rows) {
  std::vector<bool> chosen(rows.rows, true);
  for (const auto text : split_at(conditions, '&')) {
    NEPH_TRY(const auto condition, parse_condition(text, rows));
    for (std::size_t row = 0; row < rows.rows; ++row) chosen[row] = chosen[row] && condition.holds(row);
  }
  return chosen;
}

std::string values_in_words(std::string_view conditions, const Table& rows) {
  std::vector<std::string> words;
  std::set<const Column*> told;
  for (const auto text : split_at(conditions, '&'))
    if (const auto condition = parse_condition(text, rows);
        condition && told.insert(condition->column).second)
      words.push_back(fmt::format("'{}' has {}", condition->column->name, values_of(*condition->column)));
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace neph::table
