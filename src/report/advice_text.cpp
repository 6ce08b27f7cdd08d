// An advice for the terminal.
#include <fmt/format.h>

#include "core/text.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"
#include "report/advice_tables.hpp"
#include "report/report.hpp"
#include "report/terminal_text.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_examples = 3;

std::string lines_of(const std::string& heading, const std::vector<std::string>& sentences,
                     std::size_t width) {
  if (sentences.empty()) return {};
  auto text = fmt::format("\n{}:\n", heading);
  for (const auto& sentence : sentences) text += wrapped(printable(sentence), width, 2);
  return text;
}

std::string table_text(const PlainTable& table, std::size_t width) {
  std::vector<std::string> headings;
  for (const auto& heading : table.headings) headings.push_back(printable(heading));
  TextTable text(headings);
  for (const auto& row : table.rows) {
    std::vector<std::string> fields;
    for (const auto& field : row) fields.push_back(printable(field));
    text.add(std::move(fields));
  }
  return text.text_within(width);
}

}  // namespace

std::string text_summary(const Advice& advice, const AdviceOptions& options) {
  std::string text;
  for (const auto& sentence : advice.findings) text += wrapped(printable(sentence), options.width, 2);
  const auto table = candidates_table(advice, options.limit);
  text += "\n" + table_text(table, options.width);
  if (table.rows.size() < advice.candidates.size())
    text += fmt::format("and {}: --limit N shows more, --json has all\n",
                        counted(std::ssize(advice.candidates) - std::ssize(table.rows), "more candidate"));
  text += lines_of("Why not", why_not_sentences(advice, most_examples), options.width);
  text += lines_of("Where the choice turns", advice.break_evens, options.width);
  if (!advice.next_runs.empty())
    text += "\nWhat one more run would be worth:\n" + table_text(next_runs_table(advice), options.width);
  if (!advice.to_measure.empty()) {
    text += "\nNot measured, and perhaps better; the first to measure:\n" +
            table_text(to_measure_table(advice), options.width);
    if (const auto& command = advice.to_measure.front().command; !command.empty())
      text += "  " + printable(command) + "\n";
  }
  return text + lines_of("This rests on", advice.assumptions, options.width);
}

}  // namespace neph::report
