// Cells against each other: do they answer alike, and how many times as fast is one as the other?
#include <algorithm>
#include <cmath>

#include "core/json.hpp"
#include "experiment/doubts.hpp"
#include "experiment/experiment.hpp"
#include "stats/stats.hpp"

namespace neph::experiment {
namespace {

/// Cells with the same key must give the same answers.
std::string answers_key(const Cell& cell, const std::vector<std::string>& answer_factors) {
  Json key = Json::object();
  for (const auto& [name, value] : cell.factors.items())
    if (std::find(answer_factors.begin(), answer_factors.end(), name) != answer_factors.end())
      key[name] = value;
  return dump_json(key);
}

/// The first run of the cell that did well and answered.
const Run* answering_run(const std::vector<Run>& runs, std::int64_t cell) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
    return run.cell == cell && run.status == RunStatus::ok && !run.result.answers_checksum.empty();
  });
  return found == runs.end() ? nullptr : &*found;
}

/// "3 of 500 answers", or less where the answers themselves were not read.
std::string how_many(const RunResult& a, const RunResult& b) {
  if (a.answers.empty() || b.answers.empty()) return "the answers";
  if (a.answers.size() != b.answers.size())
    return fmt::format("the number of answers ({} and {})", a.answers.size(), b.answers.size());
  std::size_t differ = 0;
  for (std::size_t i = 0; i < a.answers.size(); ++i) differ += a.answers[i] != b.answers[i];
  return fmt::format("{} of {} answers", differ, a.answers.size());
}

}  // namespace

void check_agreement(std::vector<CellSummary>& summaries, const std::vector<Run>& runs,
                     const std::vector<std::string>& answer_factors) {
  std::map<std::string, std::pair<const CellSummary*, const Run*>> firsts;
  for (auto& summary : summaries) {
    const Run* run = answering_run(runs, summary.cell.index);
    if (!run) continue;
    const auto [found, is_first] =
        firsts.try_emplace(answers_key(summary.cell, answer_factors), &summary, run);
    const auto& [reference, reference_run] = found->second;
    if (is_first || run->result.answers_checksum == reference_run->result.answers_checksum) continue;
    summary.warnings.push_back(
        {.code = "answers_differ",
         .message = fmt::format("'{}' and '{}' should answer alike, but {} differ", summary.cell.label,
                                reference->cell.label, how_many(run->result, reference_run->result)),
         .advice =
             "a few: rounding in another order of sums; many: one of the cells computes something else"});
    summary.verdict = verdict_of(summary);
  }
}

Result<Estimate> compare(const std::vector<Run>& runs, std::int64_t a, std::int64_t b,
                         std::string_view figure) {
  const auto by_repeat = [&](std::int64_t cell) {
    std::map<std::int64_t, double> values;
    for (const auto& run : runs) {
      if (run.cell != cell || run.status != RunStatus::ok) continue;
      for (const auto& entry : run.result.figures)
        if (entry.name == figure && std::isfinite(entry.estimate.value))
          values[run.repeat] = entry.estimate.value;
    }
    return values;
  };
  const auto baselines = by_repeat(b);
  std::vector<stats::Pair> pairs;
  for (const auto& [repeat, candidate] : by_repeat(a))
    if (const auto found = baselines.find(repeat); found != baselines.end())
      pairs.push_back({.baseline = found->second, .candidate = candidate});
  if (pairs.empty())
    return fail(ErrorCode::not_found, "no repeat has {} in both cell {} and cell {}", figure, a, b);
  const auto ratio = stats::compare_pairs(pairs, stats::Better::higher).ratio;
  if (ratio.n == 0)
    return fail(ErrorCode::invalid_argument, "{} is not positive in all runs: it has no ratio", figure);
  return ratio;
}

}  // namespace neph::experiment
