// Of a command: how long it takes, and where what it tells says that the time goes.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/units.hpp"
#include "report/charts/charts.hpp"
#include "report/command_findings.hpp"
#include "report/readings.hpp"
#include "report/training_findings.hpp"
#include "report/views/view.hpp"

namespace neph::report {
namespace {

std::vector<TableColumn> columns(const Document&) {
  std::vector all{time_column(metric::command_s, "whole", 0), time_column(metric::cpu_s, "CPU time", 4),
                  time_column(metric::step_s, "step", 0), time_column(metric::epoch_s, "epoch", 1)};
  all.push_back(figure_column(metric::samples_per_s));
  all.back().expendable = 3;
  std::ranges::move(resource_columns(), std::back_inserter(all));
  return all;
}

constexpr std::string_view reading =
    R"(<dt>Whole</dt><dd>From the start of the command to its end.</dd>
<dt>CPU time</dt><dd>Of the command and all that it started, until its end.</dd>
<dt>Step, epoch</dt><dd>Mean seconds of learning: from the end of one step to the end of the next within an epoch; of an
epoch without verifying and saving. They are known where PyTorch or Keras, or the command itself, tells of them.</dd>
<dt>CPU cores</dt><dd>CPU time per time while it learnt: 1.0 is one core kept busy all the while.</dd>
)";

}  // namespace

extern const ReportView command_view;
const ReportView command_view{
    .of = view::command,
    .columns = columns,
    .charts = {&scaling_chart, &container_chart, &throughput_chart, &bill_chart, &run_phases_chart,
               &training_memory_chart, &latency_chart, &telemetry_chart, &repeats_chart},
    .findings = command_findings,
    .reading = reading,
    .threads = "All threads are the command’s own: neph itself is not among them."};

}  // namespace neph::report
