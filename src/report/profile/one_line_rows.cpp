#include "report/profile/one_line_rows.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace neph::report {
namespace {

constexpr std::size_t gap = 2;            ///< between columns, as TextTable has it
constexpr std::size_t room_to_tell = 24;  ///< of the cut column: enough to tell one name from another

std::size_t widest_in(const PlainTable& table, std::size_t column) {
  auto widest = display_width(table.headings[column]);
  for (const auto& row : table.rows) widest = std::max(widest, display_width(row[column]));
  return widest;
}

/// What the other columns leave of the terminal.
std::size_t room_for(const PlainTable& table, std::size_t column, std::size_t width) {
  std::size_t others = 0;
  for (std::size_t i = 0; i < table.headings.size(); ++i)
    if (i != column) others += gap + widest_in(table, i);
  return width > others ? width - others : 0;
}

std::size_t place_of(const PlainTable& table, const std::string& heading) {
  return static_cast<std::size_t>(std::ranges::find(table.headings, heading) - table.headings.begin());
}

void drop(std::size_t column, PlainTable& table) {
  const auto offset = static_cast<std::ptrdiff_t>(column);
  table.headings.erase(table.headings.begin() + offset);
  for (auto& row : table.rows) row.erase(row.begin() + offset);
}

}  // namespace

std::string end_of(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::size_t begin = 0;
  while (begin < text.size() && display_width(std::string_view(text).substr(begin)) + 1 > width) {
    ++begin;
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  }
  return "…" + text.substr(begin);
}

std::vector<std::string> narrow_to(std::size_t width, const Narrowing& how, PlainTable& table) {
  std::vector<std::string> dropped;
  const auto wanted = std::min(room_to_tell, widest_in(table, place_of(table, how.cut)));
  for (const auto& heading : how.dropped_first) {
    if (room_for(table, place_of(table, how.cut), width) >= wanted) break;
    const auto column = place_of(table, heading);
    if (column == table.headings.size()) continue;
    drop(column, table);
    dropped.push_back(heading);
  }
  const auto cut = place_of(table, how.cut);
  const auto room = std::max(room_for(table, cut, width), display_width(how.cut));
  for (auto& row : table.rows) row[cut] = end_of(row[cut], room);
  return dropped;
}

}  // namespace neph::report
