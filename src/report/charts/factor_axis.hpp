// Charts over the factor that is a number, batch before all others: their axis and their lines.
#pragma once

#include <functional>

#include "report/charts/lines.hpp"

namespace neph::report {

struct OverFactor {
  std::string caption;      ///< "images/s against"; the factor's name is added
  std::string description;  ///< likewise
  std::string y;
  std::string unit;
  std::function<Estimate(const CellSummary&)> value;
};

/// A line per combination of the other factors, dashed by mode; an empty drawing where no factor is a number
/// or fewer than two configurations have a value.
Drawing draw_over_factor(const Document& document, const OverFactor& what);

}  // namespace neph::report
