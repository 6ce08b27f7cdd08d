// Which rows of a table a user means: "gpus<=4 & model=A|B".
//
// Conditions that all hold, with '&' between them. One is a column, one of <= >= != < > =, and a value, or
// several for = and != with '|' between them. Texts that are numbers with the same words behind them
// ("128dataset") are compared as those numbers too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table/table.hpp"

namespace neph::table {

/// Whether they hold, of each row. Errors: invalid_argument (it does not parse, a value that no row has),
/// not_found (no such column).
Result<std::vector<bool>> rows_where(std::string_view conditions, const Table& rows);

/// What the columns of conditions have, for people: "'gpus' has 2, 4, 8; 'model' has 317 different texts".
std::string values_in_words(std::string_view conditions, const Table& rows);

}  // namespace neph::table
