#include "predict/trial.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>

#include "predict/kernel_choice.hpp"
#include "predict/parallel.hpp"
#include "predict/screening.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index most_columns = 16, most_categories = 8;  ///< whose values are left out

/// Where a value lies to those that were kept: how far beyond them, or between them from the nearest.
std::function<double(double)> distance_from(Eigen::VectorXd kept, Situation situation) {
  std::sort(kept.begin(), kept.end());
  if (situation == Situation::between)
    return [all = std::vector(kept.begin(), kept.end())](double value) {
      return distance_to_nearest(all, value);
    };
  const CrowdedRange range{kept[0], kept[kept.size() - 1]};
  return [range](double value) { return range.distance_to(value); };
}

/// Without the few that stand where all others are left out: those are as far away.
std::vector<std::size_t> far_from_left_out(const HoldOut& split) {
  std::vector<std::size_t> rows;
  std::ranges::set_difference(split.kept, split.few, std::back_inserter(rows));
  return rows;
}

/// Mean distance of what was left out; 0 of situations without distance.
double distance_of(const Condition& condition, const HoldOut& split, const Inputs& inputs,
                   const Eigen::RowVectorXd& units) {
  if (!has_distance(condition.situation)) return 0;
  const VectorXd column = inputs.ranged.col(condition.column);
  const auto distance = distance_from(rows_of(column, far_from_left_out(split)), condition.situation);
  double sum = 0;
  for (const auto row : split.left_out) sum += distance(column[static_cast<Index>(row)]);
  const double unit = units.size() > 0 ? units[condition.column] : 1;
  return sum / static_cast<double>(split.left_out.size()) / unit;
}

std::vector<double> distances_of(const HoldOut& split, const Inputs& inputs,
                                 const Eigen::RowVectorXd& units) {
  std::vector<double> all;
  for (const auto& condition : split.conditions) all.push_back(distance_of(condition, split, inputs, units));
  return all;
}

/// Without hold-outs by which none of the conditions is judged: those of the condition itself, else of its
/// situation, else all, but of what lies within the range of a number the folds (Blend::nearest_to).
void keep_asked(const std::vector<Condition>& asked, std::vector<HoldOut>& splits) {
  std::set<Condition> tried;
  std::set<Situation> tried_situations;
  for (const auto& split : splits) {
    for (const auto& condition : split.conditions) {
      tried.insert(condition);
      tried_situations.insert(condition.situation);
    }
  }
  std::set<Condition> wanted{{}};
  std::set<Situation> wanted_situations;
  for (const auto& condition : asked) {
    if (tried.contains(condition))
      wanted.insert(condition);
    else if (tried_situations.contains(condition.situation))
      wanted_situations.insert(condition.situation);
    else if (!is_in_range(condition.situation))
      return;
  }
  std::erase_if(splits, [&](const HoldOut& split) {
    return std::ranges::none_of(split.conditions, [&](const Condition& each) {
      return wanted.contains(each) || wanted_situations.contains(each.situation);
    });
  });
}

}  // namespace

std::vector<std::optional<Kernel>> first_guesses(const std::vector<CandidateSpec>& specs,
                                                 const CandidateContext& context, const Inputs& inputs,
                                                 const VectorXd& log_target, std::size_t threads) {
  std::vector<std::optional<Kernel>> guesses(specs.size());
  const auto rows = drawn_rows(static_cast<std::size_t>(log_target.size()), 2 * context.most_rows_for_kernel);
  const auto some = rows_of(inputs, rows);
  const auto some_targets = rows_of(log_target, rows);
  share_out(specs.size(), threads, "guess", [&](std::size_t i) {
    if (!specs[i].has_process || needs_sight(specs[i], inputs)) return;  // each fit sees others then
    const auto candidate = Candidate::fit(specs[i], context, some, some_targets);
    if (candidate && candidate->process()) guesses[i] = candidate->process()->kernel();
  });
  return guesses;
}

std::vector<Trial> run_trials(const std::vector<CandidateSpec>& specs, const CandidateContext& context,
                              const Inputs& inputs, const VectorXd& log_target,
                              const TrialSettings& settings) {
  auto hold_out = settings.hold_out;
  hold_out.columns = strongest(inputs.ranged, log_target, most_columns);
  hold_out.categories = strongest(inputs.places.levels, log_target, most_categories);
  auto splits = hold_outs(inputs, hold_out);
  std::erase_if(splits, [&](const HoldOut& split) {
    return std::ranges::all_of(split.conditions, [&](const Condition& each) {
      return std::ranges::find(settings.known, each) != settings.known.end();
    });
  });
  if (settings.asked) keep_asked(*settings.asked, splits);
  std::vector<Trial> trials;
  for (const auto& split : splits)
    trials.push_back({split.conditions,
                      Eigen::MatrixXd::Constant(static_cast<Index>(split.left_out.size()),
                                                static_cast<Index>(specs.size() * departures),
                                                std::numeric_limits<double>::infinity()),
                      distances_of(split, inputs, settings.units)});
  const auto all = splits.size() * specs.size();
  std::size_t done = 0;
  std::mutex telling;
  share_out(all, settings.threads, "trial", [&](std::size_t job) {
    const auto& split = splits[job / specs.size()];
    const auto& spec = specs[job % specs.size()];
    const auto candidate =
        Candidate::fit(spec, context, rows_of(inputs, split.kept), rows_of(log_target, split.kept),
                       settings.guesses.empty() ? std::nullopt : settings.guesses[job % specs.size()]);
    if (candidate) {
      const auto ways = spec.has_process ? static_cast<Index>(departures) : 1;  // else all are the same one
      auto errors = trials[job / specs.size()].errors.middleCols(
          static_cast<Index>(job % specs.size() * departures), ways);
      errors = candidate->log_means(rows_of(inputs, split.left_out)).leftCols(ways).colwise() -
               rows_of(log_target, split.left_out);
      errors = errors.array().isNaN().select(std::numeric_limits<double>::infinity(), errors);
    }
    const std::lock_guard lock(telling);
    if (settings.progress) settings.progress(++done, all);
  });
  return trials;
}

}  // namespace neph::predict
