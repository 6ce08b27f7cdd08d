#include <algorithm>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/columns.hpp"
#include "report/findings.hpp"
#include "report/load_readings.hpp"
#include "report/machines.hpp"
#include "report/markdown_table.hpp"
#include "report/notices.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

std::string cell_table(const Document& document) {
  const auto columns = columns_of(document);
  std::vector<std::string> headings{"configuration"};
  for (const auto& column : columns) headings.push_back(column.heading);
  headings.emplace_back("verdict");
  std::vector<std::vector<std::string>> rows;
  for (const auto& cell : document.cells) {
    auto& fields = rows.emplace_back(1, cell.cell.label);
    for (const auto& column : columns) fields.push_back(column.field(cell));
    fields.push_back(verdict_text(cell));
  }
  return markdown_table(headings, "l" + std::string(columns.size(), 'r') + "l", rows);
}

/// Empty where no rate was searched for.
std::string search_table(const std::vector<CellSummary>& cells) {
  const auto rows = probe_rows(cells);
  if (rows.empty()) return {};
  return "\n## Search, rate by rate\n\n" +
         markdown_table({probe_headings.begin(), probe_headings.end()}, "lrlrrl", rows);
}

/// What the intervals of the table are over; nothing where no run ended well.
std::string intervals_text(const std::vector<CellSummary>& cells) {
  std::int64_t most = 0;
  for (const auto& cell : cells) most = std::max(most, cell.runs_ok);
  if (most == 0) return {};
  return most > 1 ? "\nIntervals are 95 % confidence intervals (CI) over the repeats.\n"
                  : "\nIntervals are 95 % confidence intervals (CI) within the one run of a configuration.\n";
}

std::string warnings_list(const std::vector<CellSummary>& cells) {
  std::string out;
  for (const auto& notice : notices(cells))
    for (const auto& seen : notice.seen) {
      const auto kind = !notice.weight ? "failed: " : notice.weight == Weight::hint ? "note: " : "";
      out += fmt::format("- {}: {}{}{}\n", escape_markdown(names_of(seen, cells.size())), kind,
                         escape_markdown(notice.weight ? sentence(seen.message) : seen.message),
                         notice.advice.empty() ? "" : " " + escape_markdown(notice.advice));
    }
  return out;
}

/// A code block that the text cannot end: its fence is longer than any run of backticks inside
/// (CommonMark 4.5).
std::string code_block(const std::string& text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{}sh\n{}\n{}\n", fence, printable(text), fence);
}

std::string machine_list(const Json& value, const std::string& indent) {
  std::string out;
  for (const auto& [name, entry] : value.items()) {
    out += fmt::format("{}- {}:", indent, escape_markdown(fact_name(name)));
    if (entry.is_object()) {
      out += "\n" + machine_list(entry, indent + "  ");
    } else {
      out += " " + escape_markdown(fact_text(name, entry)) + "\n";
    }
  }
  return out;
}

std::string machines_text(const Document& document) {
  const auto& machines = document.machines;
  if (machines.empty()) return {};
  if (machines.size() == 1) return "\n## Machine\n\n" + machine_list(machines.front().fingerprint, "");
  return "\n## Machines\n\n" + markdown_table({machine_headings.begin(), machine_headings.end()}, "llllrrlr",
                                              machine_rows(document));
}

}  // namespace

std::string markdown(const Document& document) {
  const auto& experiment = document.experiment;
  auto out = fmt::format("# {}\n\n", escape_markdown(title(document)));
  for (const auto& sentence : findings(document)) out += escape_markdown(sentence) + "\n";
  if (!document.cells.empty()) out += "\n" + cell_table(document) + intervals_text(document.cells);
  out += search_table(document.cells);
  if (const auto warnings = warnings_list(document.cells); !warnings.empty())
    out += "\n## Warnings\n\n" + warnings;
  out += machines_text(document);
  if (!experiment.command.empty()) out += "\n## Repeat it\n\n" + code_block(experiment.command);
  return out;
}

}  // namespace neph::report
