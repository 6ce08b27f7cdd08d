#include <array>

#include "report/charts/chart.hpp"

namespace neph::report {

/// One word per chart, in the order of the page; the file of that name holds the rest.
#define NEPH_CHARTS(chart) chart(cost_time) chart(cost_resources) chart(advised_bill)

#define NEPH_DECLARE(name) extern const AdviceChart name##_chart;
NEPH_CHARTS(NEPH_DECLARE)

std::span<const AdviceChart> advice_charts() {
#define NEPH_NAME(name) name##_chart,
  static const std::array all{NEPH_CHARTS(NEPH_NAME)};
  return all;
}

}  // namespace neph::report
