// Numbers of rows that are asked for: in the unit in which the column was fitted, or alone.
#include <limits>

#include "predict/design.hpp"
#include "predict/numbers_in_text.hpp"

namespace neph::predict {

Result<double> Design::Number::of_text(const Table& rows, const std::string& cell) const {
  const auto found = number_in(cell);
  if (!found)
    return fail(ErrorCode::invalid_argument, "{}: column '{}' has text, as '{}', and numbers are needed",
                rows.source, column, cell);
  if (found->unit.empty() || found->unit == unit || !is_ever_there) return found->number;
  return fail(ErrorCode::invalid_argument, "{}: '{}' is given in '{}', as '{}', and {}: give it {}",
              rows.source, column, found->unit, cell,
              unit.empty() ? "was fitted as a number alone" : fmt::format("was fitted in '{}'", unit),
              unit.empty() ? "so" : "in that");
}

Result<std::vector<double>> Design::Number::asked_in(const Table& rows) const {
  NEPH_TRY(const auto place, rows.find_fitted(column));
  const auto& asked = rows.columns[place];
  if (!asked.is_text()) return asked.numbers;
  std::vector<double> values(rows.rows, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::optional<double>> by_level(asked.levels.size());
  for (std::size_t row = 0; row < rows.rows; ++row) {
    if (asked.is_empty(row)) continue;
    const auto level = static_cast<std::size_t>(asked.codes[row]);
    if (!by_level[level]) {
      NEPH_TRY(by_level[level], of_text(rows, asked.levels[level]));
    }
    values[row] = *by_level[level];
  }
  return values;
}

}  // namespace neph::predict
