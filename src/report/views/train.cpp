// Of `train`: how fast a network learns, what more cores do, how long a whole training takes.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/units.hpp"
#include "report/charts/charts.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/training_findings.hpp"
#include "report/views/view.hpp"

namespace neph::report {
namespace {

std::string accuracy_text(const CellSummary& cell) {
  const auto* found = find_estimate(cell.figures, metric::test_accuracy);
  return found && std::isfinite(found->value) ? format_percent(found->value) : "–";
}

std::vector<TableColumn> columns(const Document&) {
  std::vector all{figure_column(metric::samples_per_s), time_column(metric::step_s, "step", 5),
                  time_column(metric::epoch_s, "epoch", 2), time_column(metric::training_s, "training", 0),
                  TableColumn{.heading = "accuracy", .field = accuracy_text, .expendable = 1}};
  std::ranges::move(resource_columns(), std::back_inserter(all));
  return all;
}

constexpr std::string_view reading =
    R"(<dt>Step, epoch</dt><dd>Mean seconds of learning after the warm-up: of one batch, and of all samples once. Waiting
for the next batch is in it; verifying is not.</dd>
<dt>Training</dt><dd>All epochs with their verifying, from the first step on: measured where they all were, else extrapolated
from the steps that were measured. It has neither the start of the process, nor loading the data, nor saving.</dd>
<dt>Accuracy</dt><dd>Share of the test samples that are classified rightly after the last epoch.</dd>
<dt>CPU cores</dt><dd>CPU time per time: 1.0 is one core kept busy all the while.</dd>
)";

}  // namespace

extern const ReportView train_view;
const ReportView train_view{.of = view::train,
                            .columns = columns,
                            .charts = {&scaling_chart, &container_chart, &throughput_chart, &settings_chart,
                                       &bill_chart, &learnt_chart, &run_phases_chart, &training_stages_chart,
                                       &processor_chart, &training_memory_chart, &latency_chart,
                                       &standard_error_chart, &telemetry_chart, &repeats_chart},
                            .findings = training_findings,
                            .reading = reading,
                            .threads = "Engine threads compute the steps; loaders fill the next batches."};

}  // namespace neph::report
