// Numbers that stand in text: "128dataset", "64px".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.hpp"

namespace neph::table {

struct NumberInText {
  double number = 0;      ///< finite
  std::string_view unit;  ///< what stands behind it, "px" of "64 px"; without digits
};
/// Nothing: the cell does not begin with a number, or has others behind it.
std::optional<NumberInText> number_in(std::string_view cell);

/// "128dataset", "64dataset": each text is a number with the same unit. The column of those numbers, or
/// nothing.
std::optional<Column> embedded_numbers(const Column& column);

/// The unit of embedded_numbers(), "dataset"; empty: there are none.
std::string unit_of(const Column& column);

/// Units of a column's numbers if they differ in their prefix alone, as "GB" and "MB"; sorted. Empty: there
/// is other text, or there are units of several kinds.
std::vector<std::string> units_of_one_kind(const Column& column);

/// The numbers of a column, which stand alone or with that unit behind them, with it behind each: "64px".
/// What is no number ("nan") is an empty cell.
Column in_unit(const Column& column, const std::string& unit);

/// The numbers of a column, whether written as numbers or as "128dataset"; nothing: it has text.
std::optional<std::vector<double>> as_numbers(const Column& column);

}  // namespace neph::table
