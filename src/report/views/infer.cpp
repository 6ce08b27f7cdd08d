// Of `infer`: which configuration to use, what limits it, and what servers cost.
#include <algorithm>
#include <iterator>

#include "report/charts/charts.hpp"
#include "report/findings.hpp"
#include "report/readings.hpp"
#include "report/views/view.hpp"

namespace neph::report {
namespace {

bool any_has(const std::vector<CellSummary>& cells, const Metric& metric) {
  return std::ranges::any_of(
      cells, [&](const CellSummary& cell) { return cell.figures.contains(std::string(metric.name)); });
}

std::vector<TableColumn> columns(const Document& document) {
  std::vector<TableColumn> all;
  for (const auto& metric : view_of(document).main)
    if (all.empty() || any_has(document.cells, metric)) all.push_back(figure_column(metric));
  if (any_has(document.cells, metric::tokens_per_s)) all.push_back(figure_column(metric::tokens_per_s));
  std::ranges::move(latency_columns(document.cells), std::back_inserter(all));
  std::ranges::move(resource_columns(), std::back_inserter(all));
  return all;
}

constexpr std::string_view reading =
    R"(<dt>p50, p99</dt><dd>Half of all batches, or 99 of 100, were done within this
time. Time counts from handing a batch to the engine to its scores; with several inferences in flight the wait inside the
engine is in it. Behind a server it is the response time: from the moment a request begins to be made to the end of its
reply. Under a load it counts from the moment at which the request was due.</dd>
<dt>CPU cores</dt><dd>CPU time per time: 1.0 is one core kept busy all the while.</dd>
<dt>Application, client, server</dt><dd>The application is the program that measures and, behind a server, that server
with it; client and server are each alone. Its peak memory is the sum of their peaks.</dd>
<dt>Thread time</dt><dd>Elapsed time of threads per image. Read, decode and preprocess are summed over the loader threads;
infer is the time with at least one inference in flight, behind a server what that says of it. Stages overlap, and a
thread that waits for a disk or a core is busy too. So they need not add up to the time between two images; the CPU time
of each role tells work from waiting.</dd>
)";

}  // namespace

extern const ReportView infer_view;
const ReportView infer_view{
    .of = view::infer,
    .columns = columns,
    .charts = {&throughput_chart, &settings_chart, &tradeoff_chart, &bill_chart, &requests_chart,
               &processor_chart, &memory_chart, &stages_chart, &phases_chart, &latency_chart,
               &standard_error_chart, &telemetry_chart, &repeats_chart},
    .findings = choice_findings,
    .reading = reading,
    .threads =
        "Engine threads run the network: behind a server, whose threads are drawn from when it is "
        "ready, they are its own; its other threads and the client’s are named as such."};

}  // namespace neph::report
