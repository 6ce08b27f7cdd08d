// The configurations of a load experiment in groups that differ only in how hard the server was asked.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/charts/chart.hpp"
#include "report/load_readings.hpp"

namespace neph::report {

struct LoadGroup {
  bool closed = false;
  std::string name;  ///< the other factors; "all" where nothing else varies
  std::vector<Asked> members;

  std::string axis() const;     ///< its title
  std::string caption() const;  ///< what is special about it; empty: nothing
  /// As an axis names them.
  std::set<double> levels() const;
};

/// Those with at least two levels, at most `most`, open loops first.
std::vector<LoadGroup> load_groups(const Document& document, std::size_t most);

}  // namespace neph::report
