#include "predict/trial.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "predict/kernel_choice.hpp"
#include "predict/parallel.hpp"
#include "predict/screening.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index most_columns = 16, most_categories = 8;  ///< whose values are left out

/// Mean distance of what was left out: from the range of what was kept, or between its values from the
/// nearest.
double distance_of(const Condition& condition, const HoldOut& split, const Inputs& inputs,
                   const Eigen::RowVectorXd& units) {
  const bool is_between = condition.situation == Situation::between;
  if (!is_between && !leaves_range(condition.situation)) return 0;
  const auto column = inputs.ranged.col(condition.column);
  std::vector<double> kept;
  for (const auto row : split.kept) kept.push_back(column[static_cast<Index>(row)]);
  std::sort(kept.begin(), kept.end());
  double sum = 0;
  for (const auto row : split.left_out) {
    const double value = column[static_cast<Index>(row)];
    sum += is_between ? distance_to_nearest(kept, value)
                      : std::max({0.0, value - kept.back(), kept.front() - value});
  }
  const double unit = units.size() > 0 ? units[condition.column] : 1;
  return sum / static_cast<double>(split.left_out.size()) / unit;
}

std::vector<double> distances_of(const HoldOut& split, const Inputs& inputs,
                                 const Eigen::RowVectorXd& units) {
  std::vector<double> all;
  for (const auto& condition : split.conditions) all.push_back(distance_of(condition, split, inputs, units));
  return all;
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
      trials[job / specs.size()].errors.middleCols(static_cast<Index>(job % specs.size() * departures),
                                                   ways) =
          candidate->log_means(rows_of(inputs, split.left_out)).leftCols(ways).colwise() -
          rows_of(log_target, split.left_out);
    }
    const std::lock_guard lock(telling);
    if (settings.progress) settings.progress(++done, all);
  });
  return trials;
}

}  // namespace neph::predict
