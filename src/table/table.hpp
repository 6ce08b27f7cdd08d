// Columns of text and numbers, read from what people have: CSV (quotes, byte order mark, CRLF, commas,
// semicolons or tabs), JSON lines, and an experiment of a store.
//
// What it does not do: know what a column means, or write anything.
//
// Threads: all is pure but for the files that are named. Ownership: plain values. Cost: a pass over a file,
// two where a column turns out to be text; a column of numbers takes 8 bytes a row, one of text 4.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.hpp"
#include "core/result.hpp"

namespace neph::table {

/// A column has numbers (NaN: an empty cell) or text (level -1: an empty cell). It has text when one of its
/// cells is no number; "nan" and "inf" are numbers.
struct Column {
  std::string name;
  std::vector<double> numbers;
  std::vector<std::int32_t> codes;  ///< of each row, into levels
  std::vector<std::string> levels;  ///< distinct texts, in the order of their first row

  bool is_text() const { return !codes.empty(); }
  std::size_t rows() const { return is_text() ? codes.size() : numbers.size(); }
  bool is_empty(std::size_t row) const;
  /// The cell for people.
  std::string text(std::size_t row) const;
};

/// Rows, by their places, that nothing can be computed of, and why.
using Refusals = std::map<std::size_t, std::string>;

/// Each cell as a number or text; null: empty, or no finite number.
std::vector<Json> cells_of(const Column& column);

struct Table {
  std::string source;  ///< what messages call it
  std::vector<Column> columns;
  std::size_t rows = 0;
  Refusals unread;  ///< rows that could not be read, with their lines; all their cells are empty

  /// By its name, or its name without the unit behind it ("time (ms)" as "time"), whatever the case. Errors:
  /// not_found with the nearest name; invalid_argument where two columns would do.
  Result<std::size_t> find(std::string_view name) const;
  /// By its very name: where a model was fitted to it, "size (GB)" is not "size". Errors: not_found, also
  /// with what find() would take for it.
  Result<std::size_t> find_fitted(std::string_view name) const;
};

/// Where all rows are needed. Error: invalid_argument with the first reason.
Status none_refused(const Refusals& refused, const std::string& source);

struct TableLimits {
  /// Of the columns in memory. A table that needs more is refused as soon as it does.
  std::size_t bytes = std::size_t{8} << 30;
  std::size_t columns = 100'000;
  /// Of rows that are asked for, one that cannot be read is no reason to leave the others without an answer:
  /// it is kept in Table::unread, unless all are so. A table of measurements is refused.
  bool keeps_unread = false;
};

/// Errors: not_found, unavailable, io; corrupt (line and cell of the fault: a line with more or fewer cells
/// than the heading, a quote that is not closed, two columns of one name, bytes that are not UTF-8, no rows);
/// unsupported (larger than the limits, or than the memory that there is). The file is read in pieces, once,
/// or twice where a column turns out to be text.
Result<Table> read_table(const std::filesystem::path& path, const TableLimits& limits = {});

/// The same from memory. JSON lines if the first character that is no space is '{'.
Result<Table> parse_table(std::string_view text, std::string source, const TableLimits& limits = {});

/// Whether the file begins as a store does.
bool is_store(const std::filesystem::path& file);

/// A row for each run that ended well: its machine (machine_columns()), the factors of its cell, and of what
/// was measured (figures, phases, means of telemetry: record/columns.hpp) only the columns that are named in
/// `wanted`: they are outcomes, and say nothing of a run that was not made. `id` 0: the newest experiment.
/// Errors: those of the store; not_found (no such column); invalid_argument (no run ended well).
Result<Table> experiment_table(const std::filesystem::path& store, std::int64_t id,
                               const std::vector<std::string>& wanted);

/// What a cell of a column of numbers is, with a plus sign too; empty: NaN. Nothing: it is text.
std::optional<double> number_of_cell(std::string_view cell);

/// The part of a heading before a unit in brackets, without spaces at its ends.
std::string_view without_unit(std::string_view name);

/// Rows in the order given.
Table rows_of(const Table& table, const std::vector<std::size_t>& rows);

}  // namespace neph::table
