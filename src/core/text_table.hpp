// Plain tables for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace neph {

/// Rows of text under headings, with two spaces between columns. Numbers are set right, words left.
class TextTable {
 public:
  /// by_content: left, unless all its fields begin with a digit or are a dash.
  enum class Side { by_content, left, right };

  /// `sides`: of each column; none: by_content.
  explicit TextTable(std::vector<std::string> headings, std::vector<Side> sides = {});
  /// Its fields, as the headings, are shown printable().
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() == 1; }

  /// Columns of a terminal that it takes.
  std::size_t width() const;
  std::string text() const;
  /// The same within so many columns of a terminal: the widest texts go on in further lines, as far as they
  /// can.
  std::string text_within(std::size_t width) const;
  /// The lines of text(): the headings, then each row.
  std::vector<std::string> lines() const;

 private:
  using Widths = std::vector<std::size_t>;
  Widths widths() const;
  std::vector<std::string> lines(const Widths& widths) const;
  bool is_set_right(std::size_t column) const;

  std::vector<Side> sides_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace neph
