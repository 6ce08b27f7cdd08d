// The rows of a catalogue's text, one at a time and without copies: RFC 4180, with commas, semicolons or
// tabs. src/table reads measurements, as numbers; prices are no floating-point numbers, and a finding names
// its line. Only for files of this module; others include price/price.hpp.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace neph::price {

class Rows {
 public:
  /// The text outlives it. Its first line says what separates cells.
  explicit Rows(std::string_view text);
  char separator() const { return separator_; }
  void separate_by(char separator) { separator_ = separator; }

  /// Goes on to the next row that is not blank; false: there is none. Errors: corrupt (a quote is never
  /// closed).
  Result<bool> next();
  /// Of the row: valid until next().
  const std::vector<std::string_view>& cells() const { return cells_; }
  /// Where the row begins, from 1.
  std::int64_t line() const { return row_line_; }
  /// Whether the text ends with the row, and without a line feed.
  bool is_unfinished() const {
    return at_ == text_.size() && !text_.ends_with('\n') && !text_.ends_with('\r');
  }

 private:
  Status read_row();
  Result<std::string_view> take_quoted();
  std::string_view take_plain();
  void take_line_end();

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1, row_line_ = 1;
  char separator_ = ',';
  std::vector<std::string_view> cells_;
  std::deque<std::string> unquoted_;  ///< cells that have quotes within, as they are meant
};

}  // namespace neph::price
