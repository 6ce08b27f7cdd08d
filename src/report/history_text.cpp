// A history for the terminal: a line of blocks for each configuration, and where it changed.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"
#include "report/history_words.hpp"
#include "report/report.hpp"
#include "report/terminal_text.hpp"

namespace neph::report {
namespace {

constexpr std::size_t narrowest_with_levels = 72;
constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// The newest points, as many as fit, from the least to the most of them. A value that is not known is a gap.
std::string sparkline(const HistoryLine& line, std::size_t width) {
  std::vector<double> values;
  for (std::size_t i = line.points.size() - std::min(width, line.points.size()); i < line.points.size(); ++i)
    values.push_back(line.points[i].value.value);
  double low = INFINITY, high = -INFINITY;
  for (const double value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  std::string text;
  for (const double value : values) {
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    text += std::isfinite(value) ? blocks[static_cast<std::size_t>(std::lround(share * (blocks.size() - 1)))]
                                 : " ";
  }
  return text;
}

/// Without the levels where it is narrow.
std::string changes_text(const HistoryLine& line, const History& history, std::size_t width) {
  const auto table = changes_table(line, history);
  if (table.rows.empty()) return {};
  const auto fields_of = [&](std::vector<std::string> fields) {
    if (width < narrowest_with_levels) fields.erase(fields.begin() + 2, fields.begin() + 4);
    for (auto& field : fields) field = printable(field);
    return fields;
  };
  TextTable text(fields_of(table.headings));
  for (const auto& row : table.rows) text.add(fields_of(row));
  return text.text_within(width);
}

/// The table of changes says what was found, where something was.
std::string latest_of(const HistoryLine& line, const History& history) {
  const auto value = value_with_interval(history.metric, line.points.back().value);
  const auto experiments = counted(std::ssize(line.points), "experiment");
  return line.points.size() < fewest_for_changes || segments_of(line).size() > 1
             ? fmt::format("latest: {}, {}", value, experiments)
             : fmt::format("latest: {}; no change found in {}", value, experiments);
}

std::string text_of(const HistoryLine& line, const History& history, std::size_t width) {
  if (line.points.empty()) return {};
  return "\n" + wrapped(printable(name_of(line, history)), width, 2) + sparkline(line, width) + "\n" +
         wrapped(printable(latest_of(line, history)), width, 2) + changes_text(line, history, width);
}

}  // namespace

std::string text_summary(const History& history, const TableOptions& options) {
  const auto width = std::max(options.width, narrowest_terminal);
  std::string text;
  for (const auto& sentence : sentences(history)) text += wrapped(printable(sentence), width, 2);
  for (const auto& line : history.lines) text += text_of(line, history, width);
  if (!history.notes.empty()) text += "\n";
  for (const auto& note : history.notes) text += wrapped(printable(note), width, 2);
  return text;
}

}  // namespace neph::report
