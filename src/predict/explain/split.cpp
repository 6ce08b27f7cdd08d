#include "predict/explain/split.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/ranges.h>

#include "core/random.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "predict/models/kernel_fit.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

using Rows = std::vector<std::size_t>;

/// The longer ones first: "<=" begins as "<".
constexpr std::array comparisons{"<=", ">=", "!=", "<", ">", "="};

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> pieces(std::string_view text, char mark) {
  std::vector<std::string_view> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(mark, begin), text.size());
    all.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return all;
}

struct RowTest {
  std::string comparison;
  const table::Column* column;            ///< as the table has it
  std::optional<table::Column> embedded;  ///< the numbers in its texts
  std::vector<std::string_view> values;

  bool is(std::size_t row, std::string_view value) const {
    if (column->is_text() && column->text(row) == value) return true;
    const auto number = number_in(value);
    return number && numbers() && numbers()->numbers[row] == *number;
  }
  bool holds(std::size_t row) const {
    if (comparison == "=" || comparison == "!=") {
      const bool one = std::any_of(values.begin(), values.end(), [&](auto value) { return is(row, value); });
      return one == (comparison == "=");
    }
    const double own = numbers()->numbers[row], limit = *number_in(values.front());
    if (comparison == "<=") return own <= limit;
    if (comparison == ">=") return own >= limit;
    return comparison == "<" ? own < limit : own > limit;
  }
  const table::Column* numbers() const {
    if (embedded) return &*embedded;
    return column->is_text() ? nullptr : column;
  }
};

/// "2, 4, 8", "numbers from 1 to 4096", "317 different texts"
std::string values_of(const table::Column& column) {
  constexpr std::size_t most_listed = 12;
  if (column.is_text()) {
    std::set<std::string_view> texts;  // levels of rows that were left out are no longer there
    for (const auto code : column.codes)
      if (code >= 0) texts.insert(column.levels[static_cast<std::size_t>(code)]);
    return texts.size() <= most_listed ? fmt::format("{}", fmt::join(texts, ", "))
                                       : fmt::format("{} different texts", texts.size());
  }
  std::set<double> numbers(column.numbers.begin(), column.numbers.end());
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  if (numbers.empty()) return "no values";
  if (numbers.size() <= most_listed) return fmt::format("{}", fmt::join(numbers, ", "));
  return fmt::format("numbers from {} to {}", *numbers.begin(), *numbers.rbegin());
}

/// A value that is nowhere was mistyped, or means another column.
Status check_values(const RowTest& test, std::size_t rows) {
  for (const auto value : test.values) {
    bool is_there = false;
    for (std::size_t row = 0; row < rows && !is_there; ++row) is_there = test.is(row, value);
    if (!is_there)
      return fail(ErrorCode::invalid_argument, "no row that is fitted to has '{}' in '{}': it has {}", value,
                  test.column->name, values_of(*test.column));
  }
  return {};
}

Result<RowTest> parse_row_test(std::string_view text, const table::Table& rows) {
  const auto place = text.find_first_of("<>=!");
  const auto* comparison = std::find_if(comparisons.begin(), comparisons.end(), [&](std::string_view each) {
    return place != text.npos && text.substr(place).starts_with(each);
  });
  if (comparison == comparisons.end())
    return fail(ErrorCode::invalid_argument,
                "'{}' is no condition: a column, one of <= >= != < > =, and a value are needed, as in "
                "'gpus<=4'",
                text);
  NEPH_TRY(const auto index, rows.find(trimmed(text.substr(0, place))));
  RowTest condition{.comparison = *comparison, .column = &rows.columns[index]};
  if (condition.column->is_text()) condition.embedded = embedded_numbers(*condition.column);
  condition.values = pieces(text.substr(place + condition.comparison.size()), '|');
  const bool is_order = condition.comparison[0] == '<' || condition.comparison[0] == '>';
  if (std::any_of(condition.values.begin(), condition.values.end(), [](auto value) { return value.empty(); }))
    return fail(ErrorCode::invalid_argument, "'{}' has no value behind '{}'", text, condition.comparison);
  if (is_order && (!condition.numbers() || condition.values.size() != 1 || !number_in(condition.values[0])))
    return fail(ErrorCode::invalid_argument,
                "'{}': '{}' compares a column of numbers with one number; texts have = and !=", text,
                condition.comparison);
  if (!is_order) NEPH_CHECK(check_values(condition, rows.rows));
  return condition;
}

/// Whether each row is on a side; all false for a side that is empty.
Result<std::vector<bool>> parse_side(std::string_view side, const table::Table& rows) {
  if (side.empty()) return std::vector<bool>(rows.rows, false);
  std::vector<bool> chosen(rows.rows, true);
  for (const auto piece : pieces(side, '&')) {
    NEPH_TRY(const auto condition, parse_row_test(piece, rows));
    for (std::size_t row = 0; row < rows.rows; ++row) chosen[row] = chosen[row] && condition.holds(row);
  }
  return chosen;
}

/// What the columns of a side have, where no row is on it.
std::string what_there_is(std::string_view side, const table::Table& rows) {
  if (side.empty()) return ": the other has them all";
  std::string words;
  std::set<const table::Column*> told;
  for (const auto piece : pieces(side, '&'))
    if (const auto condition = parse_row_test(piece, rows);
        condition && told.insert(condition->column).second)
      words += fmt::format("; '{}' has {}", condition->column->name, values_of(*condition->column));
  return words;
}

Rows places_of(const std::vector<bool>& chosen, bool value) {
  Rows rows;
  for (std::size_t row = 0; row < chosen.size(); ++row)
    if (chosen[row] == value) rows.push_back(row);
  return rows;
}

Rows shuffled(Rows rows, Random& random) {
  shuffle(rows, random);
  return rows;
}

Split split_of(std::string name, const Rows& test, std::size_t rows) {
  std::vector<bool> is_test(rows, false);
  for (const auto row : test) is_test[row] = true;
  return {std::move(name), places_of(is_test, false), places_of(is_test, true)};
}

Rows all_rows(std::size_t count) {
  Rows rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

}  // namespace

Result<Split> parse_split(std::string_view text, const table::Table& rows) {
  const auto arrow = text.find("->");
  if (arrow == text.npos)
    return fail(ErrorCode::invalid_argument,
                "'{}' has no '->' between the rows to fit on and those to predict, as in 'gpus<=4 -> gpus>4'",
                text);
  const auto left = trimmed(text.substr(0, arrow)), right = trimmed(text.substr(arrow + 2));
  if (left.empty() && right.empty())
    return fail(ErrorCode::invalid_argument, "'{}': one side at least must say which rows it has", text);
  NEPH_TRY(auto train, parse_side(left, rows));
  NEPH_TRY(auto test, parse_side(right, rows));
  if (left.empty()) train = test, train.flip();
  if (right.empty()) test = train, test.flip();
  for (std::size_t row = 0; row < rows.rows; ++row)
    if (train[row] && test[row])
      return fail(ErrorCode::invalid_argument,
                  "'{}': a row is on both sides; what is predicted must not be fitted on", text);
  Split split{std::string(trimmed(text)), places_of(train, true), places_of(test, true)};
  if (split.train.empty() || split.test.empty())
    return fail(ErrorCode::invalid_argument, "'{}': no row is on the {} side{}", text,
                split.train.empty() ? "left" : "right",
                what_there_is(split.train.empty() ? left : right, rows));
  return split;
}

Result<std::vector<Split>> leave_out(const table::Table& rows, std::string_view column, std::size_t keep,
                                     std::size_t draws, std::uint64_t seed) {
  NEPH_TRY(const auto index, rows.find(column));
  const auto& left_out = rows.columns[index];
  std::map<std::string, Rows> by_value;
  for (std::size_t row = 0; row < rows.rows; ++row)
    if (!left_out.is_empty(row)) by_value[left_out.text(row)].push_back(row);
  if (by_value.size() < 2)
    return fail(ErrorCode::invalid_argument,
                "'{}' has {}: nothing would be left to fit on without it; choose a column with several",
                left_out.name, counted(std::ssize(by_value), "value"));
  if (std::ranges::none_of(by_value, [&](const auto& each) { return each.second.size() > keep; }))
    return fail(ErrorCode::invalid_argument, "no value of '{}' has more than the {} that are kept: {}",
                left_out.name, counted(static_cast<std::int64_t>(keep), "row"),
                "none would be left to predict");
  Random random(seed);
  std::vector<Split> splits;
  for (const auto& [value, own] : by_value) {
    if (own.size() <= keep) continue;
    for (std::size_t draw = 0; draw < (keep > 0 ? draws : 1); ++draw) {
      auto test = shuffled(own, random);
      test.resize(own.size() - keep);
      auto name = fmt::format("{} {} left out", left_out.name, value);
      if (keep > 0) name += fmt::format(" but for {}, draw {}", counted(std::int64_t(keep), "row"), draw + 1);
      splits.push_back(split_of(std::move(name), test, rows.rows));
    }
  }
  return splits;
}

std::vector<Split> folds(std::size_t rows, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  const auto order = shuffled(all_rows(rows), random);
  std::vector<Split> splits;
  for (std::size_t fold = 0; fold < count; ++fold) {
    Rows test;
    for (auto i = fold; i < rows; i += count) test.push_back(order[i]);
    splits.push_back(split_of(fmt::format("fold {} of {}", fold + 1, count), test, rows));
  }
  return splits;
}

std::vector<Split> samples(std::size_t rows, std::size_t count, std::size_t draws, std::uint64_t seed) {
  Random random(seed);
  std::vector<Split> splits;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    auto test = shuffled(all_rows(rows), random);
    test.resize(rows - std::min(rows, count));
    splits.push_back(
        split_of(fmt::format("{}, draw {}", counted(std::int64_t(count), "row"), draw + 1), test, rows));
  }
  return splits;
}

std::vector<std::size_t> drawn_from(const Rows& rows, std::size_t most) {
  Rows drawn;
  for (const auto place : drawn_rows(rows.size(), most)) drawn.push_back(rows[place]);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace neph::predict
