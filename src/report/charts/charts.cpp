#include <array>

#include "report/charts/chart.hpp"

namespace neph::report {

/// One word per chart, in the order of the page; the file of that name holds the rest.
#define NEPH_CHARTS(chart)                                                                             \
  chart(throughput) chart(load_times) chart(load_rate) chart(settings) chart(tradeoff) chart(requests) \
      chart(processor) chart(memory) chart(stages) chart(phases) chart(latency) chart(standard_error)  \
          chart(telemetry) chart(repeats)

#define NEPH_DECLARE(name) extern const Chart name##_chart;
NEPH_CHARTS(NEPH_DECLARE)

std::span<const Chart> charts() {
#define NEPH_NAME(name) name##_chart,
  static const std::array all{NEPH_CHARTS(NEPH_NAME)};
  return all;
}

}  // namespace neph::report
