#include "predict/ensemble/shift_scores.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/stats.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double coverage = 0.9;
constexpr double deviations_of_noise = 1.645;  ///< within which nine of ten measurements lie
constexpr Index any_column = -1;
/// The power of a number without trials of its own: it may be about this one more or less than is predicted.
constexpr double unknown_power = 0.5;
constexpr double worst_error = 5;  ///< a factor of 150: a member that failed
constexpr double least_error = 1e-6;

VectorXd weights_of(const VectorXd& errors, bool is_inside) {
  const VectorXd weights = (errors.minCoeff() / errors.array()).pow(is_inside ? 4 : 2);
  return weights / weights.sum();
}

struct Weighted {
  double value, weight;
};

/// By their values; NaN and what has no weight are left out.
std::vector<Weighted> sorted(const VectorXd& weights, const VectorXd& values) {
  std::vector<Weighted> all;
  for (Index i = 0; i < values.size(); ++i)
    if (weights[i] > 0 && !std::isnan(values[i])) all.push_back({values[i], weights[i]});
  std::ranges::sort(all, {}, &Weighted::value);
  return all;
}

/// What a share of the weight keeps below; in the middle between two where it ends there.
double weighted_quantile(const std::vector<Weighted>& sorted, double share) {
  constexpr double rounding = 1e-9;
  double all = 0, below = 0;
  for (const auto& each : sorted) all += each.weight;
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    below += sorted[i].weight / all;
    if (below > share + rounding) return sorted[i].value;
    if (below > share - rounding) return (sorted[i].value + sorted[i + 1].value) / 2;
  }
  return sorted.empty() ? std::numeric_limits<double>::quiet_NaN() : sorted.back().value;
}

/// How much members differ from what they agree on: their weighted mean distance.
double disagreement(const VectorXd& weights, const VectorXd& values) {
  const auto members = sorted(weights, values);
  const double middle = weighted_quantile(members, 0.5);
  double sum = 0, all = 0;
  for (const auto& [value, weight] : members) {
    sum += weight * std::abs(value - middle);
    all += weight;
  }
  return all > 0 ? sum / all : 0;
}

/// A member that failed is wrong by that much.
VectorXd bounded(const VectorXd& errors) { return errors.cwiseMin(worst_error).cwiseMax(-worst_error); }

/// What an error is compared with: no less than is usual in the shift.
double expected_size(double median, double disagreement) { return std::hypot(median, disagreement); }

struct Tried {
  const Trial* trial;
  double distance;
};

/// The smallest that leaves no more than its share of `count` draws and the next one above it; the largest of
/// fewer draws than that takes, and somewhat more: the next may be worse than all.
double next_below(std::vector<double> draws, double share) {
  std::ranges::sort(draws);
  const auto count = static_cast<double>(draws.size());
  const auto rank = static_cast<std::size_t>(std::ceil(share * (count + 1) - 1e-9));
  return rank <= draws.size() ? draws[rank - 1] : draws.back() * (1 + 0.5 / count);
}

/// What an error of the ensemble may be as a multiple of its expected size. Folds are draws of the same rows,
/// and each row counts. Any other hold-out is a draw of a shift, or each level that it leaves out is one: of
/// each counts what nine of ten of its rows keep below. `sizes`: of the trials' rows, one after the other.
double reach_of(const ShiftScore& score, const VectorXd& weights, const VectorXd& sizes,
                const std::vector<Tried>& trials) {
  std::vector<double> all, draws;
  for (const auto& [trial, distance] : trials) {
    std::map<int, std::vector<double>> by_draw;
    for (Index i = 0; i < trial->errors.rows(); ++i) {
      const double spread = disagreement(weights, bounded(trial->errors.row(i)));
      all.push_back(sizes[std::ssize(all)] / expected_size(score.median, spread));
      by_draw[trial->draws.empty() ? 0 : trial->draws[static_cast<std::size_t>(i)]].push_back(all.back());
    }
    for (const auto& [draw, ratios] : by_draw) draws.push_back(stats::quantile(ratios, coverage));
  }
  return next_below(score.shift.kind == ShiftKind::inside ? std::move(all) : std::move(draws), coverage);
}

/// Trials of one shift, summed up.
ShiftScore score_of(const Shift& shift, std::int64_t group, const std::vector<Tried>& trials) {
  ShiftScore score{.shift = shift,
                   .group = group,
                   .errors = VectorXd::Zero(trials.front().trial->errors.cols()),
                   .trials = std::ssize(trials)};
  const auto count = static_cast<double>(trials.size());
  Index rows = 0;
  for (const auto& [trial, distance] : trials) {
    score.errors += trial->errors.cwiseAbs().cwiseMin(worst_error).colwise().mean().transpose() / count;
    score.distance += distance / count;
    rows += trial->errors.rows();
  }
  score.errors = score.errors.cwiseMax(least_error);
  const bool is_inside = shift.kind == ShiftKind::inside;
  const auto weights = weights_of(score.errors, is_inside);
  VectorXd sizes(rows), shares(rows);  // a trial's rows have one share together
  rows = 0;
  for (const auto& [trial, distance] : trials)
    for (Index i = 0; i < trial->errors.rows(); ++i, ++rows) {
      sizes[rows] = std::abs(agreed(weights, bounded(trial->errors.row(i)), is_inside));
      shares[rows] = 1 / static_cast<double>(trial->errors.rows());
    }
  const auto errors = sorted(shares, sizes);
  score.median = std::max(least_error, weighted_quantile(errors, 0.5));
  score.p90 = std::max(score.median, weighted_quantile(errors, coverage));
  score.reach = reach_of(score, weights, sizes, trials);
  return score;
}

/// Shifts that the same hold-outs speak for.
struct Group {
  std::int64_t number = 0;
  bool is_between = false;
  double median = 0, reach = 0, assumed = 0;
  double here = 0, tried = 0;  ///< squares of the distances, summed over the shifts
};

}  // namespace

double agreed(const VectorXd& weights, const VectorXd& values, bool is_inside) {
  const auto members = sorted(weights, values);
  if (!is_inside) return weighted_quantile(members, 0.5);
  double sum = 0, all = 0;
  for (const auto& [value, weight] : members) {
    sum += weight * value;
    all += weight;
  }
  return sum / all;
}

ShiftScores ShiftScores::learn(const std::vector<Trial>& trials) {
  std::map<Shift, std::vector<Tried>> by_shift;
  for (const auto& trial : trials) {
    for (std::size_t i = 0; i < trial.shifts.size(); ++i) {
      const auto& shift = trial.shifts[i];
      by_shift[shift].push_back({&trial, trial.distances[i]});
      if (shift.kind == ShiftKind::inside) continue;
      auto& of_kind = by_shift[{shift.kind, any_column}];
      if (of_kind.empty() || of_kind.back().trial != &trial) of_kind.push_back({&trial, trial.distances[i]});
    }
  }
  std::vector<ShiftScore> scores;
  for (const auto& [shift, own] : by_shift) {
    const auto first = own.front().trial - trials.data();
    scores.push_back(score_of(shift, shift.column == any_column ? any_column : first, own));
  }
  return {std::move(scores)};
}

const Shift* ShiftScores::untried_in(const QueryPosition& position) const {
  const auto found = std::ranges::find_if(position.shifts, [&](const Shift& shift) {
    return (leaves_range(shift.kind) || shift.kind == ShiftKind::unseen) &&
           nearest_to(shift).shift.kind != shift.kind;
  });
  return found == position.shifts.end() ? nullptr : &*found;
}

std::optional<ShiftScore> ShiftScores::of_kinds(const std::vector<Trial>& trials,
                                                std::span<const ShiftKind> kinds) {
  std::vector<Tried> own;
  for (const auto& trial : trials)
    if (std::ranges::find_first_of(trial.shifts, kinds, {}, &Shift::kind) != trial.shifts.end())
      own.push_back({&trial, 0});
  if (own.empty()) return std::nullopt;
  return score_of({kinds.front(), any_column}, any_column, own);
}

/// That of the shift itself; else of its kind in all columns, else the worst that was tried, but of what lies
/// between the values of a number that of the inside.
const ShiftScore& ShiftScores::nearest_to(const Shift& shift) const {
  const ShiftScore *of_kind = nullptr, *worst = &scores.front();
  for (const auto& score : scores) {
    if (score.shift == shift) return score;
    if (score.shift == Shift{shift.kind, any_column}) of_kind = &score;
    if (score.median * score.reach > worst->median * worst->reach) worst = &score;
  }
  if (of_kind) return *of_kind;
  return shift.kind == ShiftKind::between ? nearest_to({}) : *worst;
}

VectorXd ShiftScores::weights(const QueryPosition& position) const {
  VectorXd squares = VectorXd::Zero(scores.front().errors.size());
  for (const auto& shift : position.shifts.empty() ? std::vector{Shift{}} : position.shifts)
    squares += nearest_to(shift).errors.cwiseAbs2();
  return weights_of(squares.cwiseSqrt(), position.shifts.empty());
}

double ShiftScores::half_width(const QueryPosition& position, const VectorXd& weights,
                               const VectorXd& log_means, double noise) const {
  const double disagreement = predict::disagreement(weights, log_means);
  const auto& of_inside = nearest_to({});
  const double inside = of_inside.shift.kind == ShiftKind::inside
                            ? squared(of_inside.reach * expected_size(of_inside.median, disagreement))
                            : 0;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < position.shifts.size(); ++i) {
    const auto& shift = position.shifts[i];
    const auto& score = nearest_to(shift);
    const bool is_own = score.shift == shift, is_between = shift.kind == ShiftKind::between;
    if (is_between && score.shift.kind != ShiftKind::between) continue;  // none was tried
    double assumed = 0;
    if (!is_own && leaves_range(shift.kind)) assumed = unknown_power * position.distances[i];
    auto group =
        std::ranges::find_if(groups, [&](const Group& each) { return is_own && each.number == score.group; });
    if (group == groups.end())
      group = groups.insert(group, {.number = is_own ? score.group : any_column, .is_between = is_between});
    group->median = std::max(group->median, score.median);
    group->reach = std::max(group->reach, score.reach);
    group->assumed = std::max(group->assumed, assumed);
    group->is_between = group->is_between && is_between;
    group->here += is_own || is_between ? squared(position.distances[i]) : 0;
    group->tried += squared(score.distance);
  }
  double squares = squared(deviations_of_noise * noise) + inside;
  for (const auto& group : groups) {
    const double further = group.tried > 0 ? std::sqrt(group.here / group.tried) : 1;
    const double half = group.reach * expected_size(group.median * std::max(1.0, further), disagreement);
    const double more = std::max(0.0, squared(half) + squared(group.assumed) - inside);
    squares += group.is_between ? more * std::min(1.0, squared(further)) : more;
  }
  return std::sqrt(squares);
}

}  // namespace neph::predict
