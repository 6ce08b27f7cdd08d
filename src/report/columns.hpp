// The columns that a table of configurations has between their names and their verdicts: one list for each
// workload (views/view.hpp), which page, terminal and Markdown show.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "record/metric.hpp"
#include "report/report.hpp"

namespace neph::report {

using FieldOf = std::function<std::string(const CellSummary&)>;

struct TableColumn {
  std::string heading;
  FieldOf field;         ///< "–": nothing to say
  FieldOf brief{};       ///< in a terminal; empty: the field
  int expendable = 0;    ///< left out where a terminal is narrow, the highest first; 0: never
  bool is_wide = false;  ///< not for a terminal of any width
};

/// Those of the document's workload that have something to say of some configuration, and how many runs it
/// had.
std::vector<TableColumn> columns_of(const Document& document);

// What lists are made of:

/// A figure with its interval.
TableColumn figure_column(const Metric& metric);
/// A figure in seconds, in the unit that suits it; with its interval where there is room.
TableColumn time_column(const Metric& metric, std::string heading, int expendable);
/// Percentiles of the time of a sample.
std::vector<TableColumn> latency_columns(const std::vector<CellSummary>& cells);
/// CPU cores and memory of the application.
std::vector<TableColumn> resource_columns();
/// Of seconds: "1.72 s ± 20 ms", or "–".
std::string duration_text(const Estimate& estimate);
/// A number without its interval, or "–".
std::string value_text(const std::map<std::string, Estimate>& estimates, std::string_view name);

}  // namespace neph::report
