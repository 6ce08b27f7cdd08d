// Bars made of named parts that add up.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/charts/chart.hpp"

namespace neph::report {

struct Bar {
  std::string label;
  std::map<std::string, Estimate> parts;
};

struct Stacked {
  std::vector<std::string> parts;  ///< in the order of the stack
  std::vector<std::string> muted;  ///< those of them that are not the point, or not known what
  std::vector<Bar> bars;
  std::string caption;
  std::string axis;         ///< title with the unit
  std::string unit;         ///< of the sums beside the labels
  std::string description;  ///< for those who cannot see it
};

/// A bar per configuration of its estimates, in the configurations' own order.
std::vector<Bar> bars_of(const std::vector<CellSummary>& cells,
                         std::map<std::string, Estimate> CellSummary::*estimates);

/// Bars without any part are left out, and parts that no bar has. No panel when none is left.
std::vector<Panel> draw_stacked(const Stacked& what);

}  // namespace neph::report
