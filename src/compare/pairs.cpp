#include "compare/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "compare/metric_names.hpp"
#include "compare/rows.hpp"
#include "core/random.hpp"
#include "core/units.hpp"
#include "stats/stats.hpp"

namespace neph::compare {
namespace {

/// The runs of a configuration as one: the geometric mean of each metric. So are means that it has without
/// runs.
MeasuredRun as_one_run(const Configuration& configuration, std::int64_t block) {
  std::map<std::string, std::pair<double, double>> logs;  // sum, how many
  for (const auto& run : configuration.runs)
    for (const auto& [metric, value] : run.metrics) {
      logs[metric].first += std::log(value);
      logs[metric].second += 1;
    }
  MeasuredRun one{.block = block};
  for (const auto& [metric, sum] : logs) one.metrics[metric] = std::exp(sum.first / sum.second);
  if (configuration.runs.size() == 1) one.metrics = configuration.runs.front().metrics;
  for (const auto& [metric, mean] : configuration.means) one.metrics.try_emplace(metric, mean.value);
  return one;
}

/// What a side has measured until now: a run of each configuration in each pair.
class Gathered {
 public:
  void add(const Source& measured, std::int64_t block) {
    if (block == 0) {
      all_ = measured;
      for (auto& configuration : all_.configurations) {
        configuration.runs.clear();
        configuration.means.clear();
      }
    }
    for (const auto& each : measured.configurations) {
      const auto known = std::ranges::find(all_.configurations, each.label, &Configuration::label);
      if (known == all_.configurations.end()) continue;
      known->runs.push_back(as_one_run(each, block));
      add_remarks(each, *known);
    }
  }
  Source& source() { return all_; }

 private:
  Source all_;
};

using Row = std::pair<std::string, std::string>;  ///< configuration, metric

class Pairs {
 public:
  Pairs(const PairsOptions& options, const Measure& measure) : options_(options), measure_(measure) {}

  /// One pair, in a random order. `block` below 0: it does not count; the first that does takes its place.
  Status add(std::int64_t block, Random& random) {
    const bool candidate_first = random.below(2) == 1;
    for (const bool is_second : {false, true}) {
      const auto side = candidate_first != is_second ? Side::candidate : Side::baseline;
      NEPH_TRY(const auto measured, measure_(side));
      (side == Side::baseline ? baseline_ : candidate_).add(measured, std::max<std::int64_t>(0, block));
    }
    return {};
  }

  Result<Comparison> compared() { return compare(baseline_.source(), candidate_.source(), options_.compare); }

  /// Looks at the pairs made; the last of them is new.
  Result<Comparison> look(std::int64_t pairs) {
    for (auto* side : {&baseline_, &candidate_}) side->source().identity = "pairs";
    NEPH_TRY(auto comparison, compared());
    comparison.pairs = pairs;
    for (auto& row : comparison.rows) heed(row, std::ssize(comparison.rows), comparison);
    return comparison;
  }

  /// No further pair would change a row: also where a side has no such number.
  bool is_decided(const Comparison& comparison) const {
    return std::ranges::all_of(comparison.rows, [&](const auto& row) {
      return !std::isfinite(row.ratio.value) || limits_.at({row.configuration, row.metric}).is_over();
    });
  }

 private:
  /// What the limits say of a row, in place of what a look that is the only one would.
  void heed(ComparedMetric& row, std::int64_t rows, Comparison& comparison) {
    const double level = 0.05 / static_cast<double>(rows);
    auto& limits = limits_
                       .try_emplace(Row{row.configuration, row.metric}, options_.compare.threshold,
                                    row.higher_is_better, level, options_.most_pairs)
                       .first->second;
    if (!row.is_paired || !std::isfinite(row.ratio.value)) return;  // no block in common, or a value of 0
    for (auto i = static_cast<std::size_t>(limits.pairs()); i < row.baseline_runs.size() && !limits.is_over();
         ++i)
      limits.add({row.baseline_runs[i], row.candidate_runs[i]});
    keep_first(static_cast<std::size_t>(limits.pairs()), level, row);
    row.outcome = limits.outcome();
    row.ratio = limits.ratio();
    row.p_value = ComparedMetric::unknown;
    const bool goes_on = row.outcome == Outcome::undecided && limits.planned() > limits.pairs();
    row.more = goes_on ? std::optional(limits.planned()) : std::nullopt;
    comparison.planned = std::max(comparison.planned, limits.planned());
  }

  const PairsOptions& options_;
  const Measure& measure_;
  Gathered baseline_, candidate_;
  std::map<Row, stats::PairsUntilDecided> limits_;
};

Status check(const PairsOptions& options) {
  if (options.most_pairs < 2)
    return fail(ErrorCode::invalid_argument, "--pairs {}: at least 2", options.most_pairs);
  const auto known = objectives();
  for (const auto& metric : options.compare.metrics)
    if (!better_of(metric) && std::ranges::find(known, metric) == known.end())
      return fail(ErrorCode::invalid_argument,
                  "--metric {}: known are {}, or the name of a rate, a time, or a size, as images_per_s",
                  metric, fmt::join(known, ", "));
  NEPH_TRY(const auto nothing, compare({}, {}, options.compare));
  if (!(options.budget_s > 0)) return fail(ErrorCode::invalid_argument, "--budget: above 0s");
  return {};
}

}  // namespace

Result<Comparison> compare_in_pairs(const PairsOptions& options, const Measure& measure,
                                    const OnPair& on_pair, const Clock& clock) {
  NEPH_CHECK(check(options));
  Pairs pairs(options, measure);
  Random random(options.seed);
  const auto begin = clock.now();
  for (std::int64_t i = 0; i < options.warmup; ++i) {
    NEPH_CHECK(pairs.add(-1, random));
    NEPH_TRY(const auto seen, pairs.compared());  // what has no such metric is not measured again
    if (!on_pair({{}, seconds(clock.now() - begin), 0}))
      return fail(ErrorCode::unavailable, "stopped in the warm-up");
    if (seconds(clock.now() - begin) > options.budget_s)
      return fail(ErrorCode::timeout, "the warm-up alone took longer than the budget of {}",
                  format_seconds(options.budget_s));
  }
  Comparison comparison;
  for (std::int64_t made = 1; made <= options.most_pairs; ++made) {
    NEPH_CHECK(pairs.add(made - 1, random));
    NEPH_TRY(comparison, pairs.look(made));
    if (refusal_of(comparison)) break;
    const double elapsed_s = seconds(clock.now() - begin);
    const double pair_s = elapsed_s / static_cast<double>(options.warmup + made);
    const bool goes_on = on_pair({comparison, elapsed_s, pair_s});
    if (!goes_on || pairs.is_decided(comparison) || elapsed_s + pair_s > options.budget_s) break;
  }
  return comparison;
}

}  // namespace neph::compare
