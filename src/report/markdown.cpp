#include <fmt/format.h>

#include "core/units.hpp"
#include "report/facts.hpp"
#include "report/findings.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/report.hpp"
#include "report/title.hpp"

namespace neph::report {
namespace {

std::string row(const std::vector<std::string>& fields) {
  std::string line = "|";
  for (const auto& field : fields) line += " " + field + " |";
  return line + "\n";
}

std::string cell_table(const std::vector<CellSummary>& cells) {
  const auto quantiles = quantile_names(cells);
  std::vector<std::string> headings{"setting", "images/s"}, rule{"---", "---:"};
  for (const auto& name : quantiles) {
    headings.push_back(name + " ms");
    rule.emplace_back("---:");
  }
  for (const auto* name : {"CPU cores", "peak memory", "runs"}) {
    headings.emplace_back(name);
    rule.emplace_back("---:");
  }
  headings.emplace_back("verdict");
  rule.emplace_back("---");
  auto out = row(headings) + row(rule);
  for (const auto& cell : cells) {
    std::vector<std::string> fields{escape_markdown(cell.cell.label), estimate_text(images_per_s(cell))};
    for (const auto& name : quantiles) {
      const auto* estimate = find_estimate(cell.latency_ms, name);
      fields.push_back(estimate ? estimate_text(*estimate) : "–");
    }
    fields.push_back(quantity(busy_cores(cell, application), "cores"));
    fields.push_back(quantity(peak_memory_bytes(cell), "bytes"));
    fields.push_back(cell.runs_failed ? fmt::format("{} ok, {} failed", cell.runs_ok, cell.runs_failed)
                                      : std::to_string(cell.runs_ok));
    fields.emplace_back(enum_name(cell.verdict));
    out += row(fields);
  }
  return out;
}

std::string warnings_list(const std::vector<CellSummary>& cells) {
  std::string out;
  for (const auto& cell : cells) {
    const auto label = escape_markdown(cell.cell.label);
    for (const auto& reason : cell.failures)
      out += fmt::format("- {}: failed: {}\n", label, escape_markdown(reason));
    for (const auto& warning : cell.warnings)
      out += fmt::format("- {}: {}{} {}\n", label, warning.weight == Weight::hint ? "hint: " : "",
                         escape_markdown(sentence(warning.message)), escape_markdown(warning.advice));
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

}  // namespace

std::string markdown(const Document& document) {
  const auto& experiment = document.experiment;
  auto out = fmt::format("# {}\n\n", escape_markdown(title(document)));
  for (const auto& sentence : findings(document)) out += escape_markdown(sentence) + "\n";
  if (!document.cells.empty())
    out += "\n" + cell_table(document.cells) + "\nIntervals are 95 % intervals over the repeats.\n";
  if (const auto warnings = warnings_list(document.cells); !warnings.empty())
    out += "\n## Warnings\n\n" + warnings;
  if (experiment.machine.is_object() && !experiment.machine.empty())
    out += "\n## Machine\n\n" + machine_list(experiment.machine, "");
  if (!experiment.command.empty()) out += "\n## Repeat it\n\n" + code_block(experiment.command);
  return out;
}

}  // namespace neph::report
