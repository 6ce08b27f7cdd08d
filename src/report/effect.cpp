#include "report/effect.hpp"

#include <cmath>
#include <map>
#include <set>

#include "report/readings.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

using ByRepeat = std::map<std::int64_t, double>;

ByRepeat by_repeat(const Document& document, const CellSummary& cell, const Quantity& quantity) {
  ByRepeat values;
  for (const auto& run : document.runs)
    if (run.cell == cell.cell.index && run.status == RunStatus::ok)
      if (const auto value = quantity(run); value && std::isfinite(*value)) values[run.repeat] = *value;
  return values;
}

struct Both {
  ByRepeat baseline, candidate;
  std::set<std::int64_t> repeats() const {
    std::set<std::int64_t> common;
    for (const auto& [repeat, unused] : baseline)
      if (candidate.contains(repeat)) common.insert(repeat);
    return common;
  }
};

/// The pairs that have every repeat that any of them has, so that each repeat's mean is over the same pairs.
std::vector<Both> complete(const Document& document, const std::vector<Match>& matches,
                           const Quantity& quantity) {
  std::vector<Both> all;
  std::set<std::int64_t> repeats;
  for (const auto& [baseline, candidate] : matches) {
    all.push_back({by_repeat(document, *baseline, quantity), by_repeat(document, *candidate, quantity)});
    repeats.merge(all.back().repeats());
  }
  std::erase_if(all, [&](const Both& both) { return both.repeats() != repeats; });
  // Each had a failed run in another repeat: one pair can still say something, the first.
  if (all.empty() && !matches.empty())
    all.push_back({by_repeat(document, *matches[0].baseline, quantity),
                   by_repeat(document, *matches[0].candidate, quantity)});
  return all;
}

}  // namespace

std::vector<Match> matches(const Document& document,
                           const std::function<bool(const CellSummary&)>& is_baseline,
                           const std::function<bool(const CellSummary&)>& is_candidate,
                           const std::vector<std::string_view>& apart) {
  std::vector<Match> found;
  const auto usable = [](const CellSummary& cell) {
    return cell.runs_ok > 0 && cell.verdict != Verdict::invalid;
  };
  for (const auto& baseline : document.cells) {
    if (!usable(baseline) || !is_baseline(baseline)) continue;
    for (const auto& candidate : document.cells)
      if (&candidate != &baseline && usable(candidate) && is_candidate(candidate) &&
          alike(baseline, candidate, apart))
        found.push_back({&baseline, &candidate});
  }
  return found;
}

stats::Ratio ratio_of(const Document& document, const std::vector<Match>& matches, const Quantity& quantity,
                      stats::Better better) {
  const auto pairs = complete(document, matches, quantity);
  std::vector<std::vector<stats::Pair>> sets;
  for (const auto& pair : pairs) {
    auto& set = sets.emplace_back();
    for (const auto repeat : pair.repeats())
      set.push_back({.baseline = pair.baseline.at(repeat), .candidate = pair.candidate.at(repeat)});
  }
  return stats::compare_blocks(sets, better);
}

stats::Ratio speed_ratio_of(const Document& document, const std::vector<Match>& matches) {
  return ratio_of(
      document, matches, [&](const Run& run) { return speed_of(document, run); },
      view_of(document).better.value_or(Better::higher));
}

Estimate difference_of(const Document& document, const std::vector<Match>& matches,
                       const Quantity& quantity) {
  std::vector<std::vector<double>> sets;
  for (const auto& pair : complete(document, matches, quantity)) {
    auto& set = sets.emplace_back();
    for (const auto repeat : pair.repeats())
      set.push_back(pair.candidate.at(repeat) - pair.baseline.at(repeat));
  }
  return stats::mean_over_blocks(sets);
}

Estimate mean_of(const Document& document, const CellSummary& cell, const Quantity& quantity) {
  std::vector<double> values;
  for (const auto& [repeat, value] : by_repeat(document, cell, quantity)) values.push_back(value);
  return stats::mean_estimate(values);
}

bool shown(const Estimate& estimate, double nothing) {
  return estimate.low && estimate.high && (*estimate.low > nothing || *estimate.high < nothing);
}

}  // namespace neph::report
