// What a report shows of a workload. Its words and main metric are in record/views.hpp.
//
// A new view is one file in this folder, which ends with its definition, and its name in views.cpp. It is
// made of what is there (columns.hpp, charts/charts.hpp, findings.hpp) and of what is its own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/views.hpp"
#include "report/charts/chart.hpp"
#include "report/columns.hpp"

namespace neph::report {

struct ReportView {
  const View& of;
  std::vector<TableColumn> (*columns)(const Document&);
  std::vector<const Chart*> charts;  ///< in the order of the page
  /// What is to be said of configurations that have a result, most important first; empty: nothing has.
  std::vector<std::string> (*findings)(const Document&);
  std::string_view reading{};  ///< HTML: what its own words in the page mean, as <dt> and <dd>
  std::string_view threads{};  ///< whose threads the telemetry tells apart, as a sentence
};

/// That of the document's workload.
const ReportView& report_view(const Document& document);
std::span<const ReportView* const> report_views();

}  // namespace neph::report
