#include "cli/results.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "experiment/experiment.hpp"
#include "workload/workload.hpp"

namespace neph::cli {

Result<report::Document> load_document(const store::Store& store, std::int64_t id, store::Detail detail,
                                       const MoneyOptions& money) {
  report::Document document;
  NEPH_TRY(document.experiment, id == 0 ? store.latest() : store.experiment(id));
  NEPH_TRY(document.runs, store.runs(document.experiment.id, detail));
  NEPH_TRY(document.machines, store.machines(document.experiment.id));
  document.cells = experiment::summarise(document.experiment, document.runs);
  NEPH_TRY(const auto* workload, workload::find_workload(document.experiment.workload));
  experiment::check_agreement(document.cells, document.runs, workload->answer_fields());
  experiment::check_machines(document.cells, document.runs);
  NEPH_CHECK(add_costs(document, money));
  return document;
}

std::optional<double> run_s_of(const report::Document& document, std::int64_t cell) {
  double sum = 0;
  std::int64_t runs = 0;
  for (const auto& run : document.runs) {
    if (run.cell != cell || run.status != RunStatus::ok || run.wall_s <= 0) continue;
    sum += run.wall_s;
    ++runs;
  }
  return runs > 0 ? std::optional(sum / static_cast<double>(runs)) : std::nullopt;
}

void print_summary(const report::Document& document) {
  fmt::print("{}", report::text_summary(document, {.width = terminal_width(), .colour = wants_colour()}));
  std::fflush(stdout);  // before what is said next on stderr; a failure is kept for the end
}

}  // namespace neph::cli
