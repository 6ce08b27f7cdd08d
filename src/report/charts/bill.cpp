// What the hire of a machine for one run costs, stage by stage.
#include <algorithm>

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
  const auto put = [&](std::string part, bool is_muted) {
    if (std::ranges::none_of(document.cells, [&](const auto& cell) { return cell.costs.contains(part); }))
      return;
    if (is_muted) what.muted.push_back(part);
    what.parts.push_back(std::move(part));
  };
  for (const auto& stage : enum_names(BillStage{})) {
    put(std::string(stage.name), false);
    put(assumed_part(stage.name), true);
  }
  put(std::string(rounding_part), false);
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
