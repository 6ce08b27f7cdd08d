#include "core/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "report/columns.hpp"
#include "report/readings.hpp"
#include "report/report.hpp"
#include "report/terminal_text.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

struct TextColumn {
  std::string heading;
  std::vector<std::string> fields;  ///< one per cell
  bool left = false;                ///< words are set left, numbers right
  int expendable = 0;               ///< left out where it is narrow, the highest first; 0: never
};

template <class FieldOf>
TextColumn column_of(std::string_view heading, const std::vector<CellSummary>& cells, FieldOf field_of,
                     int expendable = 0) {
  TextColumn column{.heading = std::string(heading), .expendable = expendable};
  for (const auto& cell : cells) column.fields.push_back(field_of(cell));
  return column;
}

bool is_way_field(const std::string& name) {
  return std::find(std::begin(way_fields), std::end(way_fields), name) != std::end(way_fields);
}

void add_if_it_varies(TextColumn column, std::vector<TextColumn>& columns) {
  if (std::any_of(column.fields.begin(), column.fields.end(),
                  [&](const auto& field) { return field != column.fields[0]; }))
    columns.push_back(std::move(column));
}

/// One column per factor that really varies; architecture, protocol and server share one, to save room.
void add_factor_columns(const std::vector<CellSummary>& cells, std::vector<TextColumn>& columns) {
  Json all = Json::object();  // a cell lacks those that mean nothing in it
  bool ways = false;
  for (const auto& cell : cells)
    for (const auto& [name, value] : cell.cell.factors.items()) {
      ways |= is_way_field(name);
      if (!is_way_field(name) && !all.contains(name)) all[name] = value;
    }
  if (ways) {
    auto column = column_of("architecture", cells,
                            [](const CellSummary& cell) { return printable(way_of(cell, {}).name()); });
    column.left = true;
    add_if_it_varies(std::move(column), columns);
  }
  for (const auto& [name, first] : all.items()) {
    auto column = column_of(printable(in_words(name)), cells, [&, key = name](const CellSummary& cell) {
      const auto value = factor_of(cell, key);
      return value.is_null() ? "–" : printable(factor_text(value));
    });
    column.left = !first.is_number();
    add_if_it_varies(std::move(column), columns);
  }
}

std::string verdict_and_failures(const CellSummary& cell) {
  const bool some_failed = cell.runs_ok > 0 && cell.runs_failed > 0;
  return verdict_text(cell) + (some_failed ? fmt::format(", {} failed", cell.runs_failed) : "");
}

std::vector<TextColumn> text_columns(const Document& document) {
  const auto& cells = document.cells;
  std::vector<TextColumn> columns;
  add_factor_columns(cells, columns);
  for (const auto& column : columns_of(document))
    if (!column.is_wide)
      columns.push_back(
          column_of(column.heading, cells, column.brief ? column.brief : column.field, column.expendable));
  columns.push_back(column_of("verdict", cells, verdict_and_failures));
  columns.back().left = true;
  return columns;
}

TextTable table_of(const std::vector<TextColumn>& columns) {
  std::vector<std::vector<std::string>> rows(columns.front().fields.size() + 1);
  std::vector<TextTable::Side> sides;
  for (const auto& column : columns) {
    rows[0].push_back(column.heading);
    sides.push_back(column.left ? TextTable::Side::left : TextTable::Side::right);
    for (std::size_t row = 1; row < rows.size(); ++row) rows[row].push_back(column.fields[row - 1]);
  }
  TextTable table(rows[0], sides);
  for (std::size_t row = 1; row < rows.size(); ++row) table.add(rows[row]);
  return table;
}

/// Leaves out what can be spared until the rest fits; false: it never does.
bool fit(std::vector<TextColumn>& columns, std::size_t width) {
  while (table_of(columns).width() > width) {
    const auto least = std::max_element(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
      return a.expendable < b.expendable;
    });
    if (least->expendable == 0) return false;
    columns.erase(least);
  }
  return true;
}

std::string colour_of(const CellSummary& cell, bool fastest) {
  if (cell.runs_ok == 0 || cell.verdict == Verdict::invalid) return "31";  // red
  if (cell.verdict == Verdict::doubtful) return "33";                      // yellow
  return fastest ? "1;32" : "";                                            // bold green
}

std::string rows(const std::vector<CellSummary>& cells, const std::vector<TextColumn>& columns, Style style,
                 const CellSummary* fastest) {
  const auto lines = table_of(columns).lines();
  std::string out = style.paint("1", lines[0]) + "\n";
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const auto& text = lines[row + 1];
    const auto colour = colour_of(cells[row], &cells[row] == fastest);
    out += (colour.empty() ? text : style.paint(colour, text)) + "\n";
  }
  return out;
}

/// For terminals that are too narrow for any table: "heading: field" lines, a block per cell.
std::string blocks(const std::vector<CellSummary>& cells, const std::vector<TextColumn>& columns,
                   std::size_t width) {
  std::string out;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (row > 0) out += "\n";
    for (const auto& column : columns)
      out += cut_to_width(column.heading + ": " + column.fields[row], width) + "\n";
  }
  return out;
}

}  // namespace

std::string text_table(const Document& document, const TableOptions& options) {
  const auto& cells = document.cells;
  if (cells.empty()) return {};
  const Style style{options.colour};
  const auto columns = text_columns(document);
  const auto order = ranked(document);
  const auto* fastest = order.size() > 1 ? order[0] : nullptr;
  auto fitting = columns;
  return fit(fitting, options.width) ? rows(cells, fitting, style, fastest)
                                     : blocks(cells, columns, std::max(options.width, narrowest_terminal));
}

}  // namespace neph::report
