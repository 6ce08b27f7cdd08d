#include "core/text_table.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "core/lists.hpp"
#include "core/text.hpp"

namespace neph {
namespace {

constexpr std::size_t gap = 2;             ///< between columns
constexpr std::size_t least_wrapped = 12;  ///< no column is made narrower, nor than a word of its heading

/// Where a line of at most `width` columns ends: behind the last space in it, else behind a sign
/// of a term or of a name, else where it is full.
std::size_t end_of_line(std::string_view text, std::size_t width) {
  std::size_t end = 0, space = 0, sign = 0;
  while (end < text.size()) {
    auto next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    if (display_width(text.substr(0, next)) > width) break;
    if (text[end] == ' ') space = next;
    if (std::string_view("*/+-^,@").find(text[end]) != std::string_view::npos) sign = next;
    end = next;
  }
  if (end == text.size() || text[end] == ' ') return end;
  if (space > 0) return space;
  return sign > 0 ? sign : std::max<std::size_t>(end, 1);
}

/// Lines of at most `width` columns.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    const auto end = end_of_line(text, width);
    lines.emplace_back(trimmed(text.substr(0, end)));
    text = trimmed(text.substr(end));
  }
  lines.emplace_back(text);
  return lines;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (const auto word : split_at(text, ' ')) longest = std::max(longest, display_width(word));
  return longest;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headings, std::vector<Side> sides) : sides_(std::move(sides)) {
  add(std::move(headings));
  sides_.resize(rows_.front().size(), Side::by_content);
}

void TextTable::add(std::vector<std::string> row) {
  for (auto& field : row) field = printable(field);
  rows_.push_back(std::move(row));
}

bool TextTable::is_set_right(std::size_t column) const {
  if (sides_[column] != Side::by_content) return sides_[column] == Side::right;
  return std::all_of(rows_.begin() + 1, rows_.end(), [column](const auto& row) {
    return !row[column].empty() && (std::isdigit(static_cast<unsigned char>(row[column][0])) ||
                                    row[column] == "-" || row[column] == "–");
  });
}

TextTable::Widths TextTable::widths() const {
  Widths widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  return widths;
}

std::size_t TextTable::width() const {
  const auto all = widths();
  return std::accumulate(all.begin(), all.end(), gap * (all.size() - 1));
}

std::vector<std::string> TextTable::lines() const { return lines(widths()); }

std::string TextTable::text() const { return joined(lines()); }

std::string TextTable::text_within(std::size_t width) const {
  auto all = widths();
  std::vector<std::size_t> least;
  for (const auto& heading : rows_.front()) least.push_back(std::max(least_wrapped, longest_word(heading)));
  const auto narrowable = [&](std::size_t i) { return all[i] > least[i] ? all[i] : 0; };
  for (auto total = this->width(); total > width; --total) {
    std::size_t widest = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
      if (narrowable(i) > narrowable(widest)) widest = i;
    if (narrowable(widest) == 0) break;
    --all[widest];
  }
  return joined(lines(all));
}

std::vector<std::string> TextTable::lines(const Widths& widths) const {
  std::vector<bool> right;
  for (std::size_t i = 0; i < widths.size(); ++i) right.push_back(is_set_right(i));
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t most = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(wrapped(row[i], widths[i]));
      most = std::max(most, cells.back().size());
    }
    auto& text = lines.emplace_back();
    for (std::size_t number = 0; number < most; ++number) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto& cell = number < cells[i].size() ? cells[i][number] : std::string();
        const std::string space(widths[i] - display_width(cell), ' ');
        line += (right[i] ? space + cell : cell + space) + std::string(gap, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += (number == 0 ? "" : "\n") + line;
    }
  }
  return lines;
}

}  // namespace neph
