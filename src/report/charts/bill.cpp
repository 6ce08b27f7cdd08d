// What the hire of a machine for one run costs, stage by stage.
#include <fmt/format.h>

#include "record/phases.hpp"
#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"

namespace neph::report {
namespace {

Stacked stacked(const Document& document) {
  Stacked what{.bars = bars_of(document.cells, &CellSummary::costs),
               .caption = fmt::format("{} for one run", document.currency),
               .axis = fmt::format("{} for one run", document.currency),
               .unit = document.currency,
               .description =
                   "Stacked bars: what each stage of a run costs, and what rounding adds, one bar per "
                   "configuration."};
  for (const auto& stage : enum_names(BillStage{})) {
    what.parts.emplace_back(stage.name);
    what.parts.push_back(assumed_part(stage.name));
    what.muted.push_back(what.parts.back());
  }
  what.parts.emplace_back(rounding_part);
  return what;
}

Drawing draw_bill(const Document& document) {
  if (document.currency.empty()) return {};
  const auto& experiment = document.experiment;
  return {.panels = draw_stacked(stacked(document)),
          .note = fmt::format(
              "{} by the rule {}. What is assumed was not measured: neph bill has the ledger.",
              experiment.price, experiment.price_rule.empty() ? "per-second" : experiment.price_rule)};
}

}  // namespace

const Chart bill_chart{"bill", "What a run costs",
                       "The bill of one run on a machine that is started for it and switched off behind it. "
                       "Rounding is what is paid and not used.",
                       draw_bill};

}  // namespace neph::report
