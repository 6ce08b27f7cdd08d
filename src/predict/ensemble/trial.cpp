#include "predict/ensemble/trial.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "predict/ensemble/parallel.hpp"
#include "predict/features/screening.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index most_columns = 16, most_categories = 8;  ///< whose values are left out

/// Mean distance of what was left out; 0 of shifts without one.
double distance_of(const Shift& shift, const HoldOut& split, const Inputs& inputs,
                   const Eigen::RowVectorXd& units) {
  if (shift.kind == ShiftKind::inside || is_of_category(shift.kind)) return 0;
  const VectorXd column = inputs.ranged.col(shift.column);
  VectorXd kept = rows_of(column, split.kept);
  std::sort(kept.begin(), kept.end());
  const std::vector<double> all(kept.begin(), kept.end());
  double sum = 0;
  for (const auto row : split.left_out) sum += distance_to_nearest(all, column[static_cast<Index>(row)]);
  const double unit = units.size() > 0 ? units[shift.column] : 1;
  return sum / static_cast<double>(split.left_out.size()) / unit;
}

Unseen unseen_in(const HoldOut& split) {
  Unseen unseen;
  for (const auto& shift : split.shifts)
    if (shift.kind == ShiftKind::unseen) unseen.push_back(shift.column);
  return unseen;
}

Trial untried(const HoldOut& split, const Inputs& inputs, std::size_t members,
              const Eigen::RowVectorXd& units) {
  Trial trial{.shifts = split.shifts,
              .errors = Eigen::MatrixXd::Constant(std::ssize(split.left_out), static_cast<Index>(members),
                                                  std::numeric_limits<double>::infinity()),
              .distances = {}};
  for (const auto& shift : split.shifts) {
    trial.distances.push_back(distance_of(shift, split, inputs, units));
    if (shift.kind != ShiftKind::unseen) continue;
    trial.draws.clear();
    for (const auto row : split.left_out)
      trial.draws.push_back(inputs.matrix.levels(static_cast<Index>(row), shift.column));
  }
  return trial;
}

/// Log of predicted over measured of each row left out, of all members alike: of a machine without a row the
/// law of machines answers.
std::optional<Eigen::MatrixXd> errors_of_law(const HoldOut& split, const MemberContext& context,
                                             const Inputs& inputs, const VectorXd& log_target,
                                             const Ensemble& like) {
  const Shift unseen{ShiftKind::unseen, context.machine.value_or(0)};
  if (!context.machine || !context.knows_machines ||
      std::ranges::find(split.shifts, unseen) == split.shifts.end())
    return std::nullopt;
  auto rows =
      machine_rows(inputs, like.columns, context, machines_own(inputs.matrix.levels, *context.machine));
  for (const auto row : split.left_out) rows.machines[static_cast<Index>(row)] = -1;
  const auto law = MachineLaw::fit(rows_of(rows, split.kept), rows_of(log_target, split.kept));
  if (!law) return std::nullopt;
  const auto answers = law->at(rows_of(rows, split.left_out));
  VectorXd errors = -rows_of(log_target, split.left_out);
  for (std::size_t i = 0; i < answers.size(); ++i) errors[static_cast<Index>(i)] += answers[i].log_mean;
  return errors.replicate(1, std::ssize(like.members));
}

}  // namespace

std::vector<Trial> run_trials(const std::vector<MemberSpec>& specs, const MemberContext& context,
                              const Inputs& inputs, const VectorXd& log_target, const Ensemble* guesses,
                              const TrialSettings& settings) {
  const auto splits =
      hold_outs(inputs, {.columns = strongest(inputs.ranged, log_target, most_columns),
                         .categories = strongest(inputs.matrix.levels, log_target, most_categories)});
  std::vector<Trial> trials;
  for (const auto& split : splits) trials.push_back(untried(split, inputs, specs.size(), settings.units));
  std::size_t done = 0;
  std::mutex telling;
  share_out(splits.size(), settings.threads, "trial", [&](std::size_t i) {
    const auto& split = splits[i];
    const auto by_law = guesses ? errors_of_law(split, context, inputs, log_target, *guesses) : std::nullopt;
    if (by_law) {
      trials[i].errors = *by_law;
    } else if (const auto ensemble =
                   Ensemble::fit(specs, context, rows_of(inputs, split.kept), rows_of(log_target, split.kept),
                                 unseen_in(split), guesses)) {
      const auto left_out = rows_of(log_target, split.left_out);
      const Eigen::MatrixXd errors =
          ensemble->log_means(rows_of(inputs, split.left_out)).colwise() - left_out;
      trials[i].errors = errors.array().isNaN().select(trials[i].errors, errors);
    }
    const std::lock_guard lock(telling);
    if (settings.progress) settings.progress(++done, splits.size());
  });
  return trials;
}

}  // namespace neph::predict
