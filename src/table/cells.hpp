// Cells become columns.
#pragma once

#include <set>
#include <unordered_map>

#include "table/table.hpp"

namespace neph::table {

/// "1,484" or "1,234,567.8": whether commas part the digits before the point, if there is one, in threes.
bool has_groups(std::string_view cell);

/// Takes cells row by row. A column is taken for numbers until a cell says otherwise; then all must be read
/// again, with `text_columns` of the first time given to the second.
class Cells {
 public:
  Cells(std::set<std::string> text_columns, const TableLimits& limits)
      : text_columns_(std::move(text_columns)), limits_(limits) {}

  /// A new column, empty in the rows so far. Errors: corrupt (there is one of that name), unsupported (too
  /// many).
  Result<std::size_t> add_column(std::string name);
  std::optional<std::size_t> column(const std::string& name) const;
  void set(std::size_t column, std::string_view cell);
  void set(std::size_t column, double number);
  /// Cells that were not set are empty. Error: unsupported (the limit).
  Status end_row();
  /// A row of which no cell was set, since it cannot be read. Errors: that one, unless the limits keep such
  /// rows; unsupported.
  Status end_unread_row(Error why);

  std::size_t rows() const { return rows_; }
  /// Columns of numbers in which all that stands is "inf" are text: a mode, inference.
  void take_infinities_for_text();
  bool must_be_read_again() const { return again_; }
  std::set<std::string> text_columns() const { return text_columns_; }
  Table finish(std::string source) &&;

 private:
  void fill(std::size_t column, std::size_t rows);

  std::set<std::string> text_columns_;
  TableLimits limits_;
  std::vector<Column> columns_;
  std::vector<bool> is_text_;
  std::vector<std::unordered_map<std::string, std::int32_t>> codes_;
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t rows_ = 0;
  std::size_t level_bytes_ = 0;
  bool again_ = false;
  Refusals unread_;
};

}  // namespace neph::table
