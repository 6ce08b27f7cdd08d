// Quantities over time in one panel: lines, or areas on top of each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

struct OverTime {
  std::string_view axis;  ///< the unit, in words
  std::string_view time;  ///< title of the axis of time
  bool is_stacked = false;
  bool has_phases = true;  ///< else Vega would warn of layers without a row
};

/// A Vega-Lite specification with the parameter `cell`: which of the rows are seen. Rows of series have
/// `cell`, `series`, and lists `t` and `v`, of which null breaks the line; rows of phases have `cell`,
/// `phase`, `begin`, `end`. `labels`: the series, in the order of their colours.
Json over_time(const OverTime& how, const std::vector<std::string>& labels, const std::string& description,
               Json rows);

}  // namespace neph::report
