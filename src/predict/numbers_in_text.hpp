// Numbers that stand in text: "128dataset", "64px".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/table.hpp"

namespace neph::predict {

/// "128dataset", "64dataset": each text is a number and behind it the same rest. The column of those numbers,
/// or nothing.
std::optional<Column> embedded_numbers(const Column& column);

/// What stands behind each number of embedded_numbers(), "dataset"; empty: there are none.
std::string unit_of(const Column& column);

/// What stands behind the numbers of a column if it differs in its prefix alone, as "GB" and "MB"; sorted.
/// Empty: there is other text, or there are units of several kinds.
std::vector<std::string> units_of_one_kind(const Column& column);

/// The numbers of a column with a unit behind each.
Column in_unit(const Column& numbers, const std::string& unit);

/// The numbers of a column, whether written as numbers or as "128dataset"; nothing: it has text.
std::optional<std::vector<double>> as_numbers(const Column& column);

}  // namespace neph::predict
