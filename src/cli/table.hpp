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

 private:
  bool is_numeric(std::size_t column) const;

  std::vector<std::vector<std::string>> rows_;
};

/// "name: value" lines of an object, nested objects indented, objects in lists one to a line; what is null or
/// empty is left out.
std::string outline(const Json& object, std::size_t indent = 0);

}  // namespace neph::cli
