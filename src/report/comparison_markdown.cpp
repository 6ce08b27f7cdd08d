// A comparison as a comment of a pull request.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/comparison_words.hpp"
#include "report/markdown_table.hpp"
#include "report/quantity.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

constexpr std::size_t most_rows_open = 12;

std::string_view sign_of(std::optional<Outcome> answer) {
  if (answer == Outcome::worse) return "❌";
  return answer == Outcome::better || answer == Outcome::equivalent ? "✅" : "⚠️";
}

/// With a sign at what needs to be seen.
std::string table_text(const Comparison& comparison, const std::vector<const ComparedMetric*>& rows) {
  auto table = compared_table(comparison, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i]->outcome != Outcome::equivalent)
      table.rows[i].back() = fmt::format("{} {}", sign_of(rows[i]->outcome), table.rows[i].back());
  const std::string words(table.headings.size() - compared_numbers - 1, 'l');
  return markdown_table(table.headings, words + std::string(compared_numbers, 'r') + "l", table.rows);
}

/// Where there are many rows, those that are equivalent are folded.
std::string rows_text(const Comparison& comparison) {
  const auto rows = gravest_first(comparison);
  if (rows.size() <= most_rows_open) return table_text(comparison, rows);
  std::vector<const ComparedMetric*> open, folded;
  for (const auto* row : rows) (row->outcome == Outcome::equivalent ? folded : open).push_back(row);
  auto text = open.empty() ? std::string() : table_text(comparison, open);
  if (!folded.empty())
    text += fmt::format("{}<details><summary>{} equivalent within {}</summary>\n\n{}\n</details>\n",
                        open.empty() ? "" : "\n", folded.size(), threshold_text(comparison),
                        table_text(comparison, folded));
  return text;
}

}  // namespace

std::string markdown(const Comparison& comparison) {
  auto text = fmt::format("{} **{}**\n\nbaseline: {} → candidate: {}\n", sign_of(answer_of(comparison)),
                          escape_markdown(headline(comparison)), escape_markdown(comparison.baseline),
                          escape_markdown(comparison.candidate));
  if (!comparison.rows.empty()) text += "\n" + rows_text(comparison);
  const auto remarks = remarks_on(comparison);
  if (!remarks.empty()) text += "\n";
  for (const auto& remark : remarks) text += "- " + escape_markdown(remark) + "\n";
  return text;
}

}  // namespace neph::report
