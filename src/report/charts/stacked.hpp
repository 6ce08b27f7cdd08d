// A bar per setting, made of named parts that add up.
#pragma once

#include <map>

#include "report/charts/chart.hpp"

namespace neph::report {

struct Stacked {
  std::vector<std::string> parts;  ///< in the order of the stack
  std::map<std::string, Estimate> CellSummary::*estimates;
  std::string axis;         ///< title with the unit
  std::string unit;         ///< of the sums beside the labels
  std::string description;  ///< for those who cannot see it
};

/// Cells in their own order; cells without any part are left out. An empty drawing when none is left.
Drawing draw_stacked(const std::vector<CellSummary>& cells, const Stacked& what);

}  // namespace neph::report
