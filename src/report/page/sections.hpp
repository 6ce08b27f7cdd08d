// The parts of the page below the charts, each as a piece of HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/quantity.hpp"
#include "report/report.hpp"

namespace neph::report {

/// <section id=…><h2>title</h2>content</section>, or nothing without content.
std::string section(std::string_view id, std::string_view title, const std::string& content);

struct TableText {
  std::string caption;
  std::vector<std::string> headings;           ///< the first is that of the rows' names; HTML
  std::vector<std::vector<std::string>> rows;  ///< HTML; the first field is the row's name
  /// Headings over several columns, with how many; they begin behind the first column. Empty: one line of
  /// headings.
  std::vector<std::pair<std::string, std::size_t>> groups;
  bool is_numbered = false;    ///< rows have numbers for names, which need little room
  bool ends_in_words = false;  ///< the last column is set left, and goes on in further lines
};
/// A table in a box of its own that scrolls when the page is narrow. Nothing without rows.
std::string table_html(const TableText& table);

/// Of plain text.
template <class Headings>
std::string table_html(std::string caption, const Headings& headings,
                       std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (auto& field : row) field = escape_html(field);
  return table_html({.caption = std::move(caption),
                     .headings = {headings.begin(), headings.end()},
                     .rows = std::move(rows)});
}

/// "✓ valid", "! doubtful", "✕ invalid" as a badge: sign, word and colour say the same.
std::string verdict_badge(const CellSummary& cell);

/// What a search for a rate found at each; nothing where none was searched for.
std::string probes_html(const Document& document);
/// Speed and latency; times; CPU, memory and GPU with mean, maximum and minimum.
std::string figures_tables(const Document& document);
/// Every warning with its advice, once, and the configurations it concerns; failures first.
std::string warnings_html(const Document& document);
/// Everything known about each configuration, folded.
std::string configuration_details(const Document& document);
/// The fingerprint, nested as it is; of several machines a table, and each one's folded below it.
std::string machine_html(const Document& document);
/// What all configurations share: given or assumed, and what the engine made of it.
std::string assumptions_html(const Document& document);

}  // namespace neph::report
