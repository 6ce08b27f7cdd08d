// Numbers of rows that are asked for: in the unit in which the column was fitted, or alone. A row whose
// number cannot be read is refused, and no other.
#include <cmath>
#include <limits>

#include "predict/features/design.hpp"
#include "predict/profile/profile.hpp"
#include "table/numbers_in_text.hpp"
#include "table/table.hpp"

namespace neph::predict {

Result<double> Design::Number::of_text(const std::string& cell) const {
  if (const auto number = table::number_of_cell(cell)) return *number;
  const auto found = table::number_in(cell);
  if (!found) return fail(ErrorCode::invalid_argument, "'{}' is '{}', and a number is needed", column, cell);
  if (found->unit == unit || !is_ever_there) return found->number;
  return fail(ErrorCode::invalid_argument, "'{}' is given in '{}', as '{}', and {}", column, found->unit,
              cell,
              unit.empty() ? "was fitted as a number alone: give it so"
                           : fmt::format("was fitted in '{}': give it in that", unit));
}

std::string Design::Number::fault_of(double value, std::size_t row) const {
  if (std::isnan(value))
    return may_be_empty
               ? ""
               : fmt::format("row {} has no '{}', which every row that was fitted to had", row + 1, column);
  if (std::isinf(value) || (is_quantity ? !(value > 0) : std::abs(value) > largest_plain))
    return fmt::format("'{}' is {} in row {}; {} is needed", column, value, row + 1,
                       is_quantity ? "a number above 0" : fmt::format("at most {:g}", largest_plain));
  return {};
}

Result<Eigen::VectorXd> Design::Number::asked_in(const table::Table& rows, table::Refusals& refused) const {
  NEPH_TRY(const auto place, rows.find_fitted(column));
  const auto& asked = rows.columns[place];
  std::vector<Result<double>> of_levels;
  for (const auto& level : asked.levels) of_levels.push_back(of_text(level));
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd values = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(rows.rows), nothing);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const Result<double> number = asked.is_empty(row) ? nothing
                                  : asked.is_text()   ? of_levels[static_cast<std::size_t>(asked.codes[row])]
                                                      : asked.numbers[row];
    auto fault = number ? fault_of(*number, row) : fmt::format("{} (row {})", number.error().text(), row + 1);
    if (fault.empty())
      values[static_cast<Eigen::Index>(row)] = *number;
    else
      refused.try_emplace(row, std::move(fault));
  }
  return values;
}

}  // namespace neph::predict
