#include <array>

#include "report/charts/chart.hpp"

namespace neph::report {

/// As in ../charts.cpp, of a validation.
#define NEPH_CHARTS(chart) \
  chart(predicted) chart(residuals) chart(intervals) chart(learning) chart(contributions)

#define NEPH_DECLARE(name) extern const ValidationChart name##_chart;
NEPH_CHARTS(NEPH_DECLARE)

std::span<const ValidationChart> validation_charts() {
#define NEPH_NAME(name) name##_chart,
  static const std::array all{NEPH_CHARTS(NEPH_NAME)};
  return all;
}

}  // namespace neph::report
