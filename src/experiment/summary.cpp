// What the repeats of a cell say together.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/json.hpp"
#include "core/percentile.hpp"
#include "experiment/doubts.hpp"
#include "experiment/experiment.hpp"
#include "record/cells.hpp"
#include "record/metrics.hpp"
#include "record/samples.hpp"
#include "stats/stats.hpp"

namespace neph::experiment {
namespace {

using Runs = std::vector<const Run*>;

Estimate single(double value) { return {.value = value, .n = std::isfinite(value) ? 1 : 0}; }

/// Rates, times, shares and counts are never below 0, which Student's interval of a few samples does not
/// know: what lies outside of the possible is cut off, which takes nothing from its coverage.
Estimate possible(Estimate estimate) {
  if (estimate.low && estimate.value >= 0) estimate.low = std::max(*estimate.low, 0.0);
  return estimate;
}

/// A percentile for which a run had too few samples is its slowest or near it. A mean of such over the runs
/// has an interval, but not one of the percentile.
Estimate carried_by_the_runs(Estimate mean, std::string_view name, const std::vector<Estimate>& estimates) {
  const auto has_none = [](const Estimate& one) { return !one.low || !one.high; };
  if (percentile_of(name) && std::any_of(estimates.begin(), estimates.end(), has_none))
    mean.low = mean.high = std::nullopt;
  return mean;
}

/// The runs' own estimates of each figure → mean over the runs; the estimate itself where there is one. n:
/// the runs, whatever a run counts itself.
std::map<std::string, Estimate> over_runs(const std::map<std::string, std::vector<Estimate>>& found) {
  std::map<std::string, Estimate> figures;
  for (const auto& [name, estimates] : found) {
    std::vector<double> values;
    for (const auto& estimate : estimates)
      if (std::isfinite(estimate.value)) values.push_back(estimate.value);
    if (estimates.size() == 1) {
      figures[name] = possible(estimates.front());
      figures[name].n = std::ssize(values);
    } else if (values.size() == 1) {
      figures[name] = single(values.front());
    } else {
      figures[name] = carried_by_the_runs(possible(stats::mean_estimate(values)), name, estimates);
    }
  }
  return figures;
}

std::map<std::string, Estimate> figures_of(const Runs& runs) {
  std::map<std::string, std::vector<Estimate>> found;
  for (const auto* run : runs)
    for (const auto& figure : run->result.figures) found[figure.name].push_back(figure.estimate);
  return over_runs(found);
}

/// A phase that came several times in a run counts as long as all its times together.
std::map<std::string, Estimate> phases_of(const Runs& runs) {
  std::map<std::string, std::vector<Estimate>> found;
  for (const auto* run : runs) {
    std::map<std::string, double> lengths;
    for (const auto& phase : run->result.phases) lengths[phase.name] += phase.end_s - phase.begin_s;
    for (const auto& [name, length] : lengths) found[name].push_back(single(length));
  }
  return over_runs(found);
}

std::map<std::string, Estimate> stages_of(const Runs& runs) {
  std::map<std::string, std::vector<Estimate>> found;
  for (const auto* run : runs)
    for (const auto& stage : run->result.stages)
      if (stage.items > 0)
        found[stage.name].push_back(single(1e3 * stage.busy_s / static_cast<double>(stage.items)));
  return over_runs(found);
}

std::map<std::string, Estimate> latency_of(const Runs& runs) {
  std::vector<std::vector<double>> groups;
  for (const auto* run : runs)
    if (auto latencies = latencies_ms(run->result); !latencies.empty())
      groups.push_back(std::move(latencies));
  std::map<std::string, Estimate> quantiles;
  if (groups.empty()) return quantiles;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& group : groups) least = std::min(least, *std::ranges::min_element(group));
  for (const auto name : usual_percentiles) {
    auto& quantile = quantiles[std::string(name)] =
        possible(stats::quantile_over_groups(groups, *percentile_of(name)));
    // Of the dozens of samples that an interval takes, one at least is below any percentile that is asked
    // for.
    if (quantile.low) quantile.low = std::max(*quantile.low, least);
  }
  return quantiles;
}

/// Mean of the means, maximum of the maxima, minimum of the minima.
class TelemetryOverRuns {
 public:
  void add(const SeriesSummary& seen) {
    auto& all = of(seen);
    if (seen.mean) {
      auto& [sum, count] = means_[key(seen)];
      sum += *seen.mean;
      all.mean = sum / static_cast<double>(++count);
      all.unavailable.clear();
    }
    if (seen.max) all.max = all.max ? std::max(*all.max, *seen.max) : *seen.max;
    if (seen.min) all.min = all.min ? std::min(*all.min, *seen.min) : *seen.min;
  }
  std::vector<SeriesSummary> take() { return std::move(all_); }

 private:
  using Key = std::pair<std::string, std::string>;
  static Key key(const SeriesSummary& series) { return {series.target, series.name}; }

  SeriesSummary& of(const SeriesSummary& seen) {
    const auto [place, is_new] = places_.try_emplace(key(seen), all_.size());
    if (is_new)
      all_.push_back(
          {.target = seen.target, .name = seen.name, .unit = seen.unit, .unavailable = seen.unavailable});
    return all_[place->second];
  }

  std::vector<SeriesSummary> all_;  ///< in the order in which they were first seen
  std::map<Key, std::size_t> places_;
  std::map<Key, std::pair<double, std::int64_t>> means_;
};

std::vector<SeriesSummary> telemetry_of(const Runs& runs) {
  TelemetryOverRuns telemetry;
  for (const auto* run : runs)
    for (const auto& series : run->result.telemetry) telemetry.add(series);
  return telemetry.take();
}

Facts common_facts(const Runs& runs) {
  if (runs.empty()) return {};
  auto facts = runs.front()->result.facts;
  for (const auto* run : runs)
    std::erase_if(facts, [&](const auto& fact) {
      const auto found = run->result.facts.find(fact.first);
      return found == run->result.facts.end() || found->second != fact.second;
    });
  return facts;
}

/// That of the first run with answers, where all others agree.
std::string common_checksum(const Runs& runs) {
  const RunResult* first = nullptr;
  for (const auto* run : runs) {
    if (run->result.outputs_checksum.empty()) continue;
    if (first == nullptr) first = &run->result;
    if (!answer_alike(*first, run->result)) return "differs";
  }
  return first == nullptr ? std::string() : first->outputs_checksum;
}

CellSummary summarise_cell(const View& view, const Cell& cell, const Runs& runs) {
  CellSummary summary{.cell = cell};
  Runs ok;
  for (const auto* run : runs) {
    if (run->status == RunStatus::ok) ok.push_back(run);
    if (run->status == RunStatus::failed) {
      ++summary.runs_failed;
      auto& failures = summary.failures;
      if (std::find(failures.begin(), failures.end(), run->reason) == failures.end())
        failures.push_back(run->reason);
    }
    if (summary.repro.empty()) summary.repro = run->repro;
  }
  summary.runs_ok = static_cast<std::int64_t>(ok.size());
  summary.figures = figures_of(ok);
  summary.latency_ms = latency_of(ok);
  summary.phases_s = phases_of(ok);
  summary.stages_ms = stages_of(ok);
  summary.telemetry = telemetry_of(ok);
  for (const auto* run : ok)
    summary.probes.insert(summary.probes.end(), run->result.probes.begin(), run->result.probes.end());
  summary.facts = common_facts(ok);
  summary.outputs_checksum = common_checksum(ok);
  summary.warnings = merged_warnings(ok);
  for (auto& doubt : doubts_over_repeats(view, summary, ok)) summary.warnings.push_back(std::move(doubt));
  summary.verdict = verdict_of(summary);
  return summary;
}

}  // namespace

std::vector<CellSummary> summarise(const Experiment& experiment, const std::vector<Run>& runs) {
  std::map<std::int64_t, Runs> by_cell;
  for (const auto& run : runs) by_cell[run.cell].push_back(&run);
  std::vector<CellSummary> summaries;
  for (const auto& cell : expand(experiment).value_or(std::vector<Cell>{}))
    summaries.push_back(summarise_cell(view_of(experiment.workload), cell, by_cell[cell.index]));
  return summaries;
}

}  // namespace neph::experiment
