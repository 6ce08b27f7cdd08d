// Points with intervals, joined to lines: a colour per line, a dash per style, notes at points.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/charts/chart.hpp"

namespace neph::report {

struct LinePoint {
  double x = 0;
  std::string line;   ///< decides the colour
  std::string style;  ///< "sync", "async"; empty where nothing is told apart by dashes
  std::string label;  ///< the configuration, in the tooltip
  Estimate value;
  std::string note;  ///< written at the point
};

struct Lines {
  std::string caption;
  std::string description;
  Json x;         ///< encoding of the x axis: axis_over()
  std::string y;  ///< title of the y axis, with the unit
  std::string unit;
  std::vector<LinePoint> points;   ///< colours go by the first sight of a line
  std::vector<std::string> lines;  ///< all that may be: their order gives the colours; else the points' own
  bool logarithmic = false;        ///< the y axis; points and ends of intervals that are not positive are cut
};

/// Points without a finite value are left out. A panel without a spec when none is left.
Panel draw_lines(const Lines& lines);

/// An axis for such numbers: logarithmic where they span more than a factor of four, as powers of two do.
Json axis_over(const std::set<double>& values, const std::string& title);

/// Solid for asynchronous, dashed for synchronous; nothing for configurations without a varied mode.
std::string style_of(const CellSummary& cell);

}  // namespace neph::report
