// Numbers of a table's cells, with their place in errors. Inside the module.
#pragma once

#include <optional>
#include <string_view>

#include "core/result.hpp"
#include "table/table.hpp"

namespace neph::compare {

/// "a.csv: row 3, p99 latency: expected ..."; rows count from 1, without the heading. Code: corrupt.
[[nodiscard]] tl::unexpected<Error> fault_in(const table::Table& table, const table::Column& column,
                                             std::size_t row, std::string_view what);

/// A finite number. Empty: the cell is. Error: corrupt.
Result<std::optional<double>> number_in(const table::Table& table, const table::Column& column,
                                        std::size_t row);
/// The same of what cannot be below 0.
Result<std::optional<double>> quantity_in(const table::Table& table, const table::Column& column,
                                          std::size_t row);

}  // namespace neph::compare
