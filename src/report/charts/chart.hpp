// A chart: a function from a document to Vega-Lite specifications. Data, not drawing code: the page draws
// them.
//
// A new chart is one file in this folder, which ends with the chart's definition, its name in charts.hpp, and
// in the views (../views/) that show it:
//
//   const Chart speed_chart{"speed", "How fast", "How to read it.", draw_speed};
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/recording.hpp"
#include "report/report.hpp"

namespace neph::report {

struct Panel {
  std::string caption;      ///< short, above the panel; empty where the chart's title says it all
  std::string description;  ///< for those who cannot see it: what the panel shows, in a sentence or two
  Json spec;                ///< Vega-Lite 6, complete with its data
};

struct Drawing {
  std::vector<Panel> panels;  ///< empty: the document holds nothing for this chart
  std::string note;           ///< what was left out or thinned; empty: nothing
  std::string reading;        ///< how to read what not every document has; after the chart's own words
  /// Configurations among which the reader chooses; each panel then has a parameter `cell`. Index and label.
  std::vector<std::pair<std::int64_t, std::string>> choices;
  std::string_view chosen = "Configuration";  ///< what a choice is
};

template <class Shown>
struct ChartOf {
  std::string_view id;       ///< anchor in the page
  std::string_view title;    ///< a heading; {item}, {samples}, ... stand for the view's words: worded()
  std::string_view reading;  ///< how to read it, in a sentence or two; likewise
  Drawing (*draw)(const Shown&);
};
using Chart = ChartOf<Document>;
using ValidationChart = ChartOf<Validation>;
using AdviceChart = ChartOf<Advice>;
using ComparisonChart = ChartOf<Comparison>;
using HistoryChart = ChartOf<History>;

using RecordingsChart = ChartOf<std::vector<Recording>>;
extern const RecordingsChart recordings_chart;

/// All of a validation in the order of the page.
std::span<const ValidationChart> validation_charts();
/// All of an advice, likewise.
std::span<const AdviceChart> advice_charts();

extern const ComparisonChart changes_chart, pairs_chart;
extern const HistoryChart history_chart;

}  // namespace neph::report
