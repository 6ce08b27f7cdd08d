#include "report/scaling.hpp"

#include <algorithm>
#include <cmath>

#include "report/readings.hpp"
#include "report/recommendation.hpp"
#include "report/way.hpp"

namespace neph::report {

bool is_inconclusive(const Estimate& speedup) {
  constexpr double meaningless_spread = 4;  // high / low: its ends say nothing
  return speedup.low && speedup.high && *speedup.low < 1 && *speedup.high > 1 &&
         (speedup.value > 1.2 || *speedup.high > meaningless_spread * *speedup.low);
}

std::vector<Scaling> scalings(const Document& document) {
  std::vector<Scaling> all;
  for (const auto& cell : document.cells) {
    const auto threads = factor_of(cell, "threads");
    const auto cores = get(cell.facts, fact::cores);  // that there were: more threads than these share them
    if (!threads.is_number() || threads.get<double>() < 1 ||
        (cores && static_cast<double>(*cores) < threads.get<double>()) || cell.verdict == Verdict::invalid ||
        !(speed_of(document, cell).value > 0))
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
      level->speedup = speed_ratio(document, *fewest.cell, *level->cell);
  }
  return all;
}

}  // namespace neph::report
