#include "compare/table_cells.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"

namespace neph::compare {
namespace {

constexpr std::size_t shown = 40;  ///< columns of a cell in a message

/// What a cell contains may be anything, lines too.
std::string quoted(const table::Column& column, std::size_t row) {
  return fmt::format("'{}'", cut_to_width(printable(column.text(row)), shown));
}

}  // namespace

tl::unexpected<Error> fault_in(const table::Table& table, const table::Column& column, std::size_t row,
                               std::string_view what) {
  return fail(ErrorCode::corrupt, "{}: row {}, {}: {}", table.source, row + 1,
              cut_to_width(printable(column.name), shown), what);
}

Result<std::optional<double>> number_in(const table::Table& table, const table::Column& column,
                                        std::size_t row) {
  if (column.is_empty(row)) return std::nullopt;
  const auto value =
      column.is_text() ? table::number_of_cell(column.text(row)) : std::optional(column.numbers[row]);
  if (!value || !std::isfinite(*value))
    return fault_in(table, column, row, fmt::format("expected a number, got {}", quoted(column, row)));
  return *value;
}

Result<std::optional<double>> quantity_in(const table::Table& table, const table::Column& column,
                                          std::size_t row) {
  NEPH_TRY(const auto value, number_in(table, column, row));
  if (value && *value < 0)
    return fault_in(table, column, row,
                    fmt::format("expected a number that is not below 0, got {}", quoted(column, row)));
  return value;
}

}  // namespace neph::compare
