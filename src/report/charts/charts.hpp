// All charts of a document, by name. Which of them a page has, and in which order: views/.
#pragma once

#include "report/charts/chart.hpp"

namespace neph::report {

extern const Chart bill_chart, container_chart, latency_chart, learnt_chart, load_rate_chart,
    load_times_chart, memory_chart, phases_chart, processor_chart, repeats_chart, request_stages_chart,
    requests_chart, run_phases_chart, scaling_chart, settings_chart, stages_chart, standard_error_chart,
    telemetry_chart, throughput_chart, tradeoff_chart, training_memory_chart, training_stages_chart;

}  // namespace neph::report
