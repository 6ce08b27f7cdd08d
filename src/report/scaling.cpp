#include "report/scaling.hpp"

#include <algorithm>
#include <cmath>

#include "report/effect.hpp"
#include "report/machines.hpp"
#include "report/readings.hpp"
#include "report/way.hpp"

namespace neph::report {

bool is_inconclusive(const Estimate& speedup) {
  constexpr double meaningless_spread = 4;  // high / low: its ends say nothing
  return speedup.low && speedup.high && *speedup.low < 1 && *speedup.high > 1 &&
         (speedup.value > 1.2 || *speedup.high > meaningless_spread * *speedup.low);
}

std::optional<double> short_of_cores(const Document& document, const CellSummary& cell) {
  const auto threads = factor_of(cell, "threads");
  const auto used = busy_cores(cell, target::application);
  if (!threads.is_number() || !used || *used >= 0.9 * threads.get<double>()) return std::nullopt;
  const double wanted = threads.get<double>();
  const auto online = machine_cores(fingerprint_of(document, cell)), taken = taken_cores(cell);
  if (online && taken && *taken - *used >= 0.1 * wanted && *online - *taken < 0.1 * wanted) return used;
  const bool is_less = std::ranges::any_of(document.cells, [&](const CellSummary& other) {
    const auto its = factor_of(other, "threads");
    const auto more = busy_cores(other, target::application);
    return its.is_number() && its.get<double>() >= 1 && its.get<double>() < wanted && more &&
           *more >= 0.5 * its.get<double>() && *used < 0.75 * *more && alike(cell, other, {"threads"});
  });
  return is_less ? used : std::nullopt;
}

std::vector<Scaling> scalings(const Document& document) {
  std::vector<Scaling> all;
  for (const auto& cell : document.cells) {
    const auto threads = factor_of(cell, "threads");
    const auto cores = get(cell.facts, fact::cores);  // that there were: more threads than these share them
    if (!threads.is_number() || threads.get<double>() < 1 ||
        (cores && static_cast<double>(*cores) < threads.get<double>()) || cell.verdict == Verdict::invalid ||
        !(speed_of(document, cell).value > 0) || short_of_cores(document, cell))
      continue;
    const auto name = short_label(cell, document.experiment, {"threads"});
    auto found = std::ranges::find(all, name, &Scaling::name);
    if (found == all.end()) found = all.insert(all.end(), {.name = name, .levels = {}});
    found->levels.push_back({.cores = threads.get<double>(), .cell = &cell, .speedup = {}});
  }
  std::erase_if(all, [](const auto& scaling) { return scaling.levels.size() < 2; });
  for (auto& scaling : all) {
    std::ranges::sort(scaling.levels, {}, &ScalingLevel::cores);
    auto& fewest = scaling.levels.front();
    fewest.speedup = {.value = 1, .n = fewest.cell->runs_ok};
    for (auto level = scaling.levels.begin() + 1; level != scaling.levels.end(); ++level)
      level->speedup = times_as_fast(document, *fewest.cell, *level->cell);
  }
  return all;
}

Estimate times_as_fast(const Document& document, const CellSummary& baseline, const CellSummary& candidate) {
  return ratio_of(
             document, {{&candidate, &baseline}}, [&](const Run& run) { return time_of(document, run); },
             Better::lower)
      .ratio;
}

std::optional<double> time_of(const Document& document, const Run& run) {
  const auto value = speed_of(document, run);
  if (!value || !(*value > 0)) return std::nullopt;
  return view_of(document).better == Better::lower ? *value : 1 / *value;
}

const stats::ScalingFit* ScalingLaws::told() const {
  if (!are_fitted()) return nullptr;
  // A maximum far beyond what was measured is an extrapolation that says little.
  const bool costs_each_other = universal->describes() && *universal->crosstalk().low > 0 &&
                                universal->fastest_at().value <= 2 * universal->most_cores();
  if (amdahl->describes() && !costs_each_other) return &*amdahl;
  return universal->describes() ? &*universal : nullptr;
}

ScalingLaws laws_of(const Document& document, const Scaling& scaling) {
  std::vector<stats::RunTime> runs;
  for (const auto& level : scaling.levels)
    for (const auto& run : document.runs)
      if (run.cell == level.cell->cell.index && run.status == RunStatus::ok)
        if (const auto time = time_of(document, run))
          runs.push_back({.x = level.cores, .time = *time, .block = run.repeat});
  return {.amdahl = stats::fit_scaling(runs, stats::ScalingLaw::amdahl),
          .universal = stats::fit_scaling(runs, stats::ScalingLaw::universal)};
}

}  // namespace neph::report
