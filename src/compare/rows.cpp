#include "compare/rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compare/metric_names.hpp"

namespace neph::compare {
namespace {

constexpr std::int64_t most_more = 1000;  ///< a number above is no advice
constexpr double of_equivalence = 0.9;    ///< confidence of the interval of two one-sided tests at 5 %

std::vector<double> runs_of(const Configuration& configuration, const std::string& metric) {
  std::vector<double> values;
  for (const auto& run : configuration.runs)
    if (const auto found = run.metrics.find(metric); found != run.metrics.end())
      values.push_back(found->second);
  return values;
}

/// Of the blocks that both have.
std::vector<stats::Pair> pairs_of(const Match& match, const std::string& metric) {
  std::map<std::int64_t, double> baseline;
  for (const auto& run : match.baseline->runs)
    if (const auto found = run.metrics.find(metric); found != run.metrics.end())
      baseline[run.block] = found->second;
  std::vector<stats::Pair> pairs;
  for (const auto& run : match.candidate->runs) {
    const auto found = run.metrics.find(metric);
    const auto other = baseline.find(run.block);
    if (found != run.metrics.end() && other != baseline.end())
      pairs.push_back({other->second, found->second});
  }
  return pairs;
}

Estimate geometric_mean(const std::vector<double>& values) {
  const auto n = std::ssize(values);
  if (n == 1) return {.value = values.front(), .n = n};
  if (std::ranges::all_of(values, [](double value) { return value == 0; }))
    return {.value = 0, .low = 0, .high = 0, .n = n};
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  const auto mean = stats::mean_estimate(logs);
  Estimate result{.value = std::exp(mean.value), .n = mean.n};
  if (mean.low && mean.high) {
    result.low = std::exp(*mean.low);
    result.high = std::exp(*mean.high);
  }
  return result;
}

/// Of pairs where there are any; keeps the runs in the row.
stats::Difference difference_of(const Match& match, bool are_together, ComparedMetric& row) {
  const auto pairs = are_together ? pairs_of(match, row.metric) : std::vector<stats::Pair>();
  row.is_paired = !pairs.empty();
  if (row.is_paired) {
    for (const auto& pair : pairs) {
      row.baseline_runs.push_back(pair.baseline);
      row.candidate_runs.push_back(pair.candidate);
    }
    return stats::difference_of_pairs(pairs);
  }
  row.baseline_runs = runs_of(*match.baseline, row.metric);
  row.candidate_runs = runs_of(*match.candidate, row.metric);
  if (row.baseline_runs.empty() || row.candidate_runs.empty())
    return stats::difference(row.baseline, row.candidate);
  return stats::difference(row.baseline_runs, row.candidate_runs);
}

bool has(const Configuration& configuration, const std::string& metric) {
  return mean_of(configuration, metric).has_value();
}

std::set<std::string> metrics_of(const Configuration& configuration) {
  std::set<std::string> names;
  for (const auto& run : configuration.runs)
    for (const auto& [name, value] : run.metrics) names.insert(name);
  for (const auto& [name, value] : configuration.means) names.insert(name);
  return names;
}

}  // namespace

std::optional<Estimate> mean_of(const Configuration& configuration, const std::string& metric) {
  if (const auto values = runs_of(configuration, metric); !values.empty()) return geometric_mean(values);
  const auto found = configuration.means.find(metric);
  return found == configuration.means.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> metric_named(const std::string& asked, const Configuration& baseline,
                                        const Configuration& candidate) {
  const auto is_there = [&](const std::string& name) { return has(baseline, name) && has(candidate, name); };
  if (auto found = metric_of(asked, is_there)) return found;
  return better_of(asked) && is_there(asked) ? std::optional(asked) : std::nullopt;
}

bool is_higher_better(const std::string& metric) { return better_of(metric) == Better::higher; }

tl::unexpected<Error> no_metric(const std::string& asked, std::span<const Match> matches,
                                std::string_view where) {
  std::string known;
  for (const auto objective : objectives())
    for (const auto& match : matches)
      if (metric_named(std::string(objective), *match.baseline, *match.candidate)) {
        known += fmt::format(", {}", objective);
        break;
      }
  std::set<std::string> names;
  for (const auto& match : matches)
    for (const auto& name : metrics_of(*match.baseline))
      if (better_of(name) && has(*match.candidate, name)) names.insert(name);
  for (const auto& name : names) known += ", " + name;
  return fail(ErrorCode::invalid_argument, "no metric '{}' {}; {}", asked, where,
              known.empty() ? "there is none" : "there are " + known.substr(2));
}

std::optional<DraftRow> draft_row(const Match& match, const std::string& asked, bool are_together) {
  auto metric = metric_named(asked, *match.baseline, *match.candidate);
  if (!metric) metric = metric_named(asked, *match.baseline, *match.baseline);
  if (!metric) metric = metric_named(asked, *match.candidate, *match.candidate);
  if (!metric) return std::nullopt;
  DraftRow draft{.row = {.configuration = match.label,
                         .metric = *metric,
                         .higher_is_better = is_higher_better(*metric),
                         .baseline = mean_of(*match.baseline, *metric).value_or(Estimate{}),
                         .candidate = mean_of(*match.candidate, *metric).value_or(Estimate{})}};
  draft.difference = difference_of(match, are_together, draft.row);
  const auto is_it = [&](const auto& name) { return name == *metric; };
  if (draft.row.baseline.value == 0 && draft.row.candidate.value == 0 && metric_of("speed", is_it))
    draft.difference = {};  // nothing takes no time: it was too short to be measured, or not done
  draft.row.ratio = stats::ratio_of(draft.difference);
  draft.row.ratio_90 = stats::ratio_of(draft.difference, of_equivalence);
  return draft;
}

std::vector<ComparedMetric> judged(std::vector<DraftRow> drafts, double threshold) {
  std::vector<double> p;
  for (const auto& draft : drafts) p.push_back(stats::p_no_difference(draft.difference));
  const auto adjusted = stats::holm(p);
  const double level = 0.05 / static_cast<double>(std::max<std::size_t>(1, drafts.size()));
  std::vector<ComparedMetric> rows;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    auto& row = rows.emplace_back(std::move(drafts[i].row));
    const auto& difference = drafts[i].difference;
    row.p_value = adjusted[i];
    row.smallest_effect = stats::smallest_effect(difference, level);
    row.outcome = stats::judge(difference, row.p_value, threshold, row.higher_is_better);
    if (row.outcome == Outcome::undecided)
      row.more = stats::number_to_decide(
          difference, {.threshold = threshold, .is_paired = row.is_paired, .level = level}, most_more);
  }
  return rows;
}

void keep_first(std::size_t pairs, double level, ComparedMetric& row) {
  row.baseline_runs.resize(pairs);
  row.candidate_runs.resize(pairs);
  row.baseline = geometric_mean(row.baseline_runs);
  row.candidate = geometric_mean(row.candidate_runs);
  std::vector<stats::Pair> kept;
  for (std::size_t i = 0; i < pairs; ++i) kept.push_back({row.baseline_runs[i], row.candidate_runs[i]});
  const auto difference = stats::difference_of_pairs(kept);
  row.ratio_90 = stats::ratio_of(difference, of_equivalence);
  row.smallest_effect = stats::smallest_effect(difference, level);
}

}  // namespace neph::compare
