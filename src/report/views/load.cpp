// Of `load`: what a server answers of what it is asked, and how late. Configurations are questions, not
// candidates: none is recommended. The process is the generator, whose CPU time and memory are no answer.
#include <algorithm>
#include <iterator>

#include "report/charts/charts.hpp"
#include "report/load_findings.hpp"
#include "report/load_readings.hpp"
#include "report/views/view.hpp"

namespace neph::report {
namespace {

std::vector<TableColumn> columns(const Document& document) {
  auto offered = figure_column(metric::offered_per_s);
  offered.brief = [](const auto& cell) { return value_text(cell.figures, metric::offered_per_s.name); };
  offered.expendable = 5;
  std::vector all{figure_column(metric::sustained_per_s), std::move(offered),
                  figure_column(metric::requests_per_s),
                  TableColumn{.heading = "errors", .field = errors_text}};
  std::ranges::move(latency_columns(document.cells), std::back_inserter(all));
  return all;
}

constexpr std::string_view reading =
    R"(<dt>Offered</dt><dd>Requests of the schedule per second, as they fell: with
random arrivals more or fewer than the rate asked for.</dd>
<dt>Response time</dt><dd>From the moment at which a request was due to the last byte of its reply. p50, p99: half of all
answered requests, or 99 of 100, took no longer.</dd>
<dt>SLO</dt><dd>So many of a hundred requests are answered within the limit. Met: the share of late ones was shown to be
below what that allows; violated: above; inconclusive: neither was shown, which says nothing against the server.</dd>
)";

}  // namespace

extern const ReportView load_view;
const ReportView load_view{
    .of = view::load,
    .columns = columns,
    .charts = {&load_times_chart, &load_rate_chart, &bill_chart, &request_stages_chart, &phases_chart,
               &latency_chart, &telemetry_chart},
    .findings = load_findings,
    .reading = reading,
    .threads =
        "The threads are those of the load generator; what a server does on this machine is in the "
        "figures of the whole machine."};

}  // namespace neph::report
