// A comparison for the terminal.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/text_table.hpp"
#include "report/comparison_words.hpp"
#include "report/report.hpp"
#include "report/terminal_text.hpp"

namespace neph::report {
namespace {

constexpr std::string_view red = "31", green = "32", yellow = "33";

/// Empty: not comparable.
std::string_view colour_of(std::optional<Outcome> answer) {
  if (answer == Outcome::worse) return red;
  return answer == Outcome::better || answer == Outcome::equivalent ? green : yellow;
}

/// Words left, numbers right.
std::vector<TextTable::Side> sides_of(const PlainTable& table) {
  std::vector<TextTable::Side> sides(table.headings.size(), TextTable::Side::right);
  std::fill_n(sides.begin(), sides.size() - compared_numbers - 1, TextTable::Side::left);
  sides.back() = TextTable::Side::left;
  return sides;
}

TextTable text_table_of(const PlainTable& table) {
  std::vector<std::string> headings;
  for (const auto& heading : table.headings) headings.push_back(printable(heading));
  TextTable text(headings, sides_of(table));
  for (const auto& row : table.rows) {
    std::vector<std::string> fields;
    for (const auto& field : row) fields.push_back(printable(field));
    text.add(std::move(fields));
  }
  return text;
}

/// Verdicts, which end their lines, in colour; none where lines are too wide and go on in further ones.
std::string rows_text(const Comparison& comparison, std::size_t width, Style style) {
  const auto rows = gravest_first(comparison);
  const auto table = text_table_of(compared_table(comparison, rows));
  if (!style.colour || table.width() > width) return table.text_within(width);
  const auto lines = table.lines();
  auto text = lines.front() + "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& line = lines[i + 1];
    const auto numbers = line.size() - enum_name(rows[i]->outcome).size();
    text += line.substr(0, numbers) + style.paint(colour_of(rows[i]->outcome), line.substr(numbers)) + "\n";
  }
  return text;
}

}  // namespace

std::string text_summary(const Comparison& comparison, const TableOptions& options) {
  const Style style{options.colour};
  const auto width = std::max(options.width, narrowest_terminal);
  auto answer = wrapped(printable(headline(comparison)), width, 2);
  answer.pop_back();  // the line feed stays outside of the colour
  auto text = style.paint(colour_of(answer_of(comparison)), answer) + "\n";
  if (!comparison.rows.empty()) text += "\n" + rows_text(comparison, width, style);
  const auto remarks = remarks_on(comparison);
  if (!remarks.empty()) text += "\n";
  for (const auto& remark : remarks) text += wrapped(printable(remark), width, 2);
  return text;
}

}  // namespace neph::report
