// Plain tables and lists for the terminal.
#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"

namespace neph::cli {

/// Rows of text under headings; a column whose fields are all numbers is set right.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : rows_{std::move(headings)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  std::string text() const;
  /// The same within so many columns of a terminal: the widest texts go on in further lines, as far as they
  /// can.
  std::string text_within(std::size_t width) const;

 private:
  using Widths = std::vector<std::size_t>;
  Widths widths() const;
  std::string text(const Widths& widths) const;
  bool is_numeric(std::size_t column) const;

  std::vector<std::vector<std::string>> rows_;
};

/// "name: value" lines of an object, nested objects indented, objects in lists one to a line; what is null or
/// empty is left out.
std::string outline(const Json& object, std::size_t indent = 0);

}  // namespace neph::cli
