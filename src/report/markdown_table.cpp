#include "report/markdown_table.hpp"

#include "report/quantity.hpp"

namespace neph::report {
namespace {

std::string row(const std::vector<std::string>& fields) {
  std::string line = "|";
  for (const auto& field : fields) line += " " + field + " |";
  return line + "\n";
}

}  // namespace

std::string markdown_table(const std::vector<std::string>& headings, std::string_view sides,
                           const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> rule;
  for (const char side : sides) rule.emplace_back(side == 'l' ? "---" : "---:");
  std::vector<std::string> escaped;
  for (const auto& heading : headings) escaped.push_back(escape_markdown(heading));
  auto out = row(escaped) + row(rule);
  for (auto fields : rows) {
    for (auto& field : fields) field = escape_markdown(field);
    out += row(fields);
  }
  return out;
}

}  // namespace neph::report
