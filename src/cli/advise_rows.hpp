// What the rows of a table of times say of its columns: whether they are a choice, and what was varied.
#pragma once

#include <string>
#include <vector>

#include "cli/advise_columns.hpp"

namespace neph::cli {

/// Cells of these columns in words.
std::string words_of(const table::Table& table, const std::vector<std::size_t>& columns, std::size_t row);
/// Without those that are the same in all rows, which say nothing.
std::vector<std::size_t> varied(const table::Table& table, const std::vector<std::size_t>& rows,
                                std::vector<std::size_t> columns);
/// Columns that tell one configuration from another, in the order of the table.
std::vector<std::size_t> telling(const Columns& columns);

/// Error: invalid_argument, where rows do different jobs.
Status check_same_job(const table::Table& table, const Columns& columns,
                      const std::vector<std::size_t>& rows);

/// Takes from what names configurations the columns that only tell runs apart; what they are, empty: none is.
std::string leave_out_run_numbers(const table::Table& table, std::vector<std::size_t> rows, Columns& columns);

/// What was taken for granted. Error: invalid_argument (a column that is a result by its numbers: with it no
/// row would be a repeat of another).
Result<std::vector<std::string>> notes_of(const table::Table& table, const Columns& columns,
                                          const std::vector<std::size_t>& rows);

}  // namespace neph::cli
