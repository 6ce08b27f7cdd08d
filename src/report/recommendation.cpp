#include "report/recommendation.hpp"

#include <algorithm>
#include <set>

#include "record/samples.hpp"
#include "report/effect.hpp"
#include "report/percentile.hpp"
#include "report/readings.hpp"
#include "report/way.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

std::optional<double> median_latency_ms(const Run& run) {
  const auto latencies = run.status == RunStatus::ok ? latencies_ms(run.result) : std::vector<double>();
  return latencies.empty() ? std::nullopt : std::optional(stats::median(latencies));
}

bool is_below_one(const Estimate& ratio) { return ratio.high && *ratio.high < 1; }

bool have_same(const CellSummary& a, const CellSummary& b, const std::string& name) {
  return factor_of(a, name) == factor_of(b, name);
}

std::vector<std::string> differing_factors(const CellSummary& a, const CellSummary& b) {
  std::set<std::string> names;
  for (const auto* cell : {&a, &b})
    if (cell->cell.factors.is_object())
      for (const auto& [name, value] : cell->cell.factors.items())
        if (!have_same(a, b, name)) names.insert(name);
  return {names.begin(), names.end()};
}

}  // namespace

Estimate latency_ratio(const Document& document, const CellSummary& baseline, const CellSummary& candidate) {
  return ratio_of(document, {{&baseline, &candidate}}, median_latency_ms, stats::Better::lower).ratio;
}

Estimate speed_ratio(const Document& document, const CellSummary& baseline, const CellSummary& candidate) {
  return speed_ratio_of(document, {{&baseline, &candidate}}).ratio;
}

bool is_faster_over_all(const Document& document, const CellSummary& baseline, const CellSummary& candidate) {
  const auto names = differing_factors(baseline, candidate);
  if (names.empty()) return false;
  const auto is_like = [&](const CellSummary& one) {
    return [&](const CellSummary& cell) {
      return way_of(cell, document.experiment) == way_of(one, document.experiment) &&
             std::ranges::all_of(names, [&](const auto& name) { return have_same(cell, one, name); });
    };
  };
  const auto pairs = matches(document, is_like(baseline), is_like(candidate), {names.begin(), names.end()});
  return speed_ratio_of(document, pairs).change == stats::Change::faster;
}

Choice choose(const Document& document, const Cells& candidates) {
  Choice choice{.candidates = candidates, .as_fast = {}, .equals = {}};
  for (const auto* cell : candidates)
    if (cell == candidates.front() || (!is_below_one(speed_ratio(document, *candidates.front(), *cell)) &&
                                       !is_faster_over_all(document, *cell, *candidates.front())))
      choice.as_fast.push_back(cell);
  const auto is_lower = [&](const CellSummary* one, const CellSummary* other) {
    return is_below_one(latency_ratio(document, *other, *one));
  };
  const auto* lowest = choice.as_fast.front();
  for (const auto* cell : choice.as_fast)
    if (is_lower(cell, lowest)) lowest = cell;
  choice.equals = {lowest};
  for (const auto* cell : choice.as_fast)
    if (cell != lowest && !is_lower(lowest, cell)) choice.equals.push_back(cell);
  return choice;
}

Cells within_limit(const Document& document, Cells candidates) {
  const double limit_ms = 1e3 * document.experiment.latency_limit_s;
  if (limit_ms > 0)
    std::erase_if(candidates, [&](const auto* cell) {
      const auto* seen = find_shown(cell->latency_ms, limited_percentile);
      return !seen || *seen->high > limit_ms;
    });
  return candidates;
}

const CellSummary* nearest_to_limit(const Cells& candidates) {
  const CellSummary* nearest = nullptr;
  double least = 0;
  for (const auto* cell : candidates)
    if (const auto* seen = find_shown(cell->latency_ms, limited_percentile);
        seen && (!nearest || *seen->high < least)) {
      nearest = cell;
      least = *seen->high;
    }
  return nearest;
}

}  // namespace neph::report
