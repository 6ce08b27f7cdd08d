// A text as lines, and a line as cells, as lenient as files that went through several hands need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace neph::host {

/// Lines that end in LF, CRLF or CR, also in turn.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}

  /// False: there is no further line. `line` has no end of line.
  bool next(std::string_view& line);
  /// Of the last line that was given.
  bool was_ended() const { return ended_; }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  bool ended_ = true;
  std::size_t number_ = 0;
};

/// Cells between commas, without blanks at their ends and without quotes. A quote never spans lines: dstat
/// writes a command's quotes as they are, and the text behind them must not be lost.
void split_cells(std::string_view line, std::vector<std::string>& cells);

}  // namespace neph::host
