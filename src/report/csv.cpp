// The cells as a table for spreadsheets and data frames. RFC 4180 quoting; numbers in their shortest exact
// form.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "record/columns.hpp"
#include "report/readings.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

/// A heading with its field in each row. Columns are added in the order of first sight, so that cells that
/// lack a quantity leave their field empty.
class Table {
 public:
  explicit Table(std::size_t rows) : rows_(rows) {}

  void set(std::size_t row, std::string_view heading, std::string field) {
    auto column =
        std::find_if(columns_.begin(), columns_.end(), [&](const auto& c) { return c.heading == heading; });
    if (column == columns_.end())
      column = columns_.insert(columns_.end(), {std::string(heading), std::vector<std::string>(rows_)});
    column->fields[row] = std::move(field);
  }

  void set(std::size_t row, const std::string& heading, const Estimate& estimate) {
    set(row, heading, number(estimate.value));
    set(row, heading + "_low", number(estimate.low));
    set(row, heading + "_high", number(estimate.high));
    set(row, heading + "_n", std::to_string(estimate.n));
  }

  void set(std::size_t row, const SeriesSummary& series) {
    const auto heading = column::of_series(series.target, series.name);
    set(row, heading + "_mean", number(series.mean));
    set(row, heading + "_maximum", number(series.max));
    set(row, heading + "_minimum", number(series.min));
  }

  std::string text() const {
    std::string out;
    const auto line = [&](auto field_of) {
      for (const auto& column : columns_) {
        if (&column != &columns_.front()) out += ',';
        out += quoted(field_of(column));
      }
      out += '\n';
    };
    line([](const auto& column) { return column.heading; });
    for (std::size_t row = 0; row < rows_; ++row)
      line([&](const auto& column) { return column.fields[row]; });
    return out;
  }

 private:
  struct Column {
    std::string heading;
    std::vector<std::string> fields;
  };

  static std::string number(std::optional<double> value) {
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string();
  }

  static std::string quoted(const std::string& field) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    std::string out = "\"";
    for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  }

  std::size_t rows_;
  std::vector<Column> columns_;
};

std::string joined_codes(const std::vector<Warning>& warnings) {
  std::string codes;
  for (const auto& warning : warnings)
    codes += (codes.empty() ? "" : " ") + std::string(enum_name(warning.code));
  return codes;
}

}  // namespace

std::string csv(const Document& document) {
  const auto& cells = document.cells;
  const auto& view = view_of(document);  // what its configurations compete in comes first of the figures
  Table table(cells.size());
  for (std::size_t row = 0; row < cells.size(); ++row) {
    table.set(row, column::cell, std::to_string(cells[row].cell.index));
    for (const auto& [name, value] : cells[row].cell.factors.items())
      table.set(row, name, factor_text(value));
  }
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const auto& cell = cells[row];
    table.set(row, column::verdict, std::string(enum_name(cell.verdict)));
    table.set(row, "warnings", joined_codes(cell.warnings));
    table.set(row, column::runs_ok, std::to_string(cell.runs_ok));
    table.set(row, column::runs_failed, std::to_string(cell.runs_failed));
    const std::string first(view.better ? view.main.front().name : "");
    if (view.better) table.set(row, first, speed_of(document, cell));
    if (!document.currency.empty()) table.set(row, "currency", document.currency);
    for (const auto& [name, estimate] : cell.figures)
      if (name != first) table.set(row, name, estimate);
  }
  const auto add = [&](const std::vector<std::string>& names, auto heading_of,
                       std::map<std::string, Estimate> CellSummary::*estimates) {
    for (const auto& name : names)
      for (std::size_t row = 0; row < cells.size(); ++row)
        if (const auto* estimate = find_estimate(cells[row].*estimates, name))
          table.set(row, heading_of(name), *estimate);
  };
  add(quantile_names(cells), column::of_latency, &CellSummary::latency_ms);
  add(phase_names(cells), column::of_phase, &CellSummary::phases_s);
  add(stage_names(cells), column::of_stage, &CellSummary::stages_ms);
  for (std::size_t row = 0; row < cells.size(); ++row)
    for (const auto& series : cells[row].telemetry) table.set(row, series);
  for (std::size_t row = 0; row < cells.size(); ++row) {
    table.set(row, "answers_checksum", cells[row].outputs_checksum);
    table.set(row, column::repro, cells[row].repro);
  }
  return table.text();
}

}  // namespace neph::report
