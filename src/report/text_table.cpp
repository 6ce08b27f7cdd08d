#include "core/text_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/load_readings.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/report.hpp"
#include "report/terminal_text.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr int most_expendable = 6;

struct TextColumn {
  std::string heading;
  std::vector<std::string> fields;  ///< one per cell
  bool left = false;                ///< words are set left, numbers right
  int expendable = 0;               ///< left out where it is narrow, the highest first; 0: never

  bool says_something() const {
    return std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field != "–"; });
  }
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
      const auto& factors = cell.cell.factors;
      return factors.contains(key) ? printable(factor_text(factors[key])) : std::string("–");
    });
    column.left = !first.is_number();
    add_if_it_varies(std::move(column), columns);
  }
}

/// Without its interval.
std::string value_text(const std::map<std::string, Estimate>& estimates, std::string_view name) {
  const auto* estimate = find_estimate(estimates, name);
  return estimate && std::isfinite(estimate->value) ? format_number(estimate->value) : "–";
}

std::string latency_text(const CellSummary& cell, std::string_view quantile) {
  return find_shown(cell.latency_ms, quantile) ? value_text(cell.latency_ms, quantile)
                                               : shown_text(cell.latency_ms, quantile);
}

/// Where it is narrow, a percentile of which no cell has a figure goes first.
TextColumn latency_column(std::string_view quantile, const std::vector<CellSummary>& cells, int expendable) {
  const bool any = std::any_of(cells.begin(), cells.end(), [&](const auto& cell) {
    return find_shown(cell.latency_ms, quantile) != nullptr;
  });
  return column_of(
      std::string(quantile) + " ms", cells, [&](const auto& cell) { return latency_text(cell, quantile); },
      any ? expendable : most_expendable);
}

std::string figure_text(const CellSummary& cell, const Metric& metric) {
  const auto* estimate = find_estimate(cell.figures, metric);
  return estimate ? estimate_text(*estimate) : "–";
}

/// Of a load, the process is the generator, whose figures are no answer.
bool is_load(const CellSummary& cell) { return outcomes(cell).has_value(); }

std::string verdict_and_failures(const CellSummary& cell) {
  const bool some_failed = cell.runs_ok > 0 && cell.runs_failed > 0;
  return verdict_text(cell) + (some_failed ? fmt::format(", {} failed", cell.runs_failed) : "");
}

std::vector<TextColumn> columns_of(const std::vector<CellSummary>& cells) {
  std::vector<TextColumn> columns;
  add_factor_columns(cells, columns);
  columns.push_back(column_of(metric::images_per_s.label, cells,
                              [](const auto& cell) { return estimate_text(images_per_s(cell)); }));
  columns.push_back(column_of(metric::sustained_per_s.label, cells,
                              [](const auto& cell) { return figure_text(cell, metric::sustained_per_s); }));
  columns.push_back(column_of(
      metric::offered_per_s.label, cells,
      [](const auto& cell) { return value_text(cell.figures, metric::offered_per_s.name); }, 5));
  columns.push_back(column_of(metric::requests_per_s.label, cells,
                              [](const auto& cell) { return figure_text(cell, metric::requests_per_s); }));
  columns.push_back(latency_column(statistic::p50, cells, 2));
  columns.push_back(latency_column(statistic::p99, cells, 1));
  columns.push_back(column_of("errors", cells, errors_text));
  columns.push_back(column_of(
      "CPU cores", cells,
      [](const auto& cell) {
        return is_load(cell) ? "–" : quantity(busy_cores(cell, target::application), unit::cores);
      },
      3));
  columns.push_back(column_of(
      "memory", cells,
      [](const auto& cell) { return is_load(cell) ? "–" : quantity(peak_memory_bytes(cell), unit::bytes); },
      4));
  columns.push_back(column_of("verdict", cells, verdict_and_failures));
  columns.back().left = true;
  std::erase_if(columns, [](const auto& column) { return !column.says_something(); });
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

std::string text_table(const std::vector<CellSummary>& cells, const TableOptions& options) {
  if (cells.empty()) return {};
  const Style style{options.colour};
  const auto columns = columns_of(cells);
  const auto order = ranked(cells);
  const auto* fastest = order.size() > 1 ? order[0] : nullptr;
  auto fitting = columns;
  return fit(fitting, options.width) ? rows(cells, fitting, style, fastest)
                                     : blocks(cells, columns, std::max(options.width, narrowest_terminal));
}

}  // namespace neph::report
