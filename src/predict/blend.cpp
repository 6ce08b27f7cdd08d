#include "predict/blend.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "stats/stats.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::int64_t most_power = 8, power_per_trial = 4;
constexpr double promise = 0.9;
constexpr double least_weight = 0.005;  ///< of one way of a candidate that counts
constexpr Index any_column = -1;
/// The power of a number without trials of its own: it may be about this one more or less than what is
/// predicted.
constexpr double unknown_power = 0.5;
/// The same where few points say what the number does, but not what it does elsewhere.
constexpr double unknown_power_beside_few = 0.25;
/// Where no level of any category could be left out: a new one may take twice or half the time.
constexpr double unknown_level = 0.7;
constexpr double worst_error = 5;  ///< a factor of 150: a candidate that failed

VectorXd weights_of(const VectorXd& errors, std::int64_t trials) {
  const auto power = std::min(most_power, power_per_trial * trials);
  const VectorXd ratio = std::max(1e-6, errors.minCoeff()) / errors.array().max(1e-6);
  VectorXd weights = VectorXd::Ones(errors.size());
  for (std::int64_t i = 0; i < power; ++i) weights.array() *= ratio.array();
  return weights / weights.sum();
}

/// The same order of additions on every machine.
double weighted_sum(const VectorXd& weights, const VectorXd& values) {
  double sum = 0;
  for (Index i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
  return sum;
}

double unknown_power_in(Situation situation) {
  return situation == Situation::sparse ? unknown_power_beside_few : unknown_power;
}

/// As std::hypot, whose last bit depends on the library.
double hypotenuse(double a, double b) { return std::sqrt(a * a + b * b); }

double squared(double value) { return value * value; }

/// How much candidates differ from what they agree on, by their weights: about a mean the deviation, about a
/// median the mean distance, which one that goes astray hardly moves.
double disagreement(const VectorXd& weights, const VectorXd& values, bool within_range) {
  const VectorXd distances = (values.array() - agreed(weights, values, within_range)).abs();
  if (!within_range) return weighted_sum(weights, distances);
  return std::sqrt(weighted_sum(weights, distances.cwiseAbs2()));
}

/// The size of error that a standing expects where ways disagree so much: no less than is usual.
double expected_size(const Standing& standing, double disagreement) {
  return hypotenuse(standing.median, disagreement);
}

struct Tried {
  const Trial* trial;
  double distance;
};

/// Trials of one condition, summed up.
Standing standing_of(const Condition& condition, std::int64_t group, const std::vector<Tried>& trials) {
  Standing standing{.condition = condition,
                    .group = group,
                    .errors = VectorXd::Zero(trials.front().trial->errors.cols()),
                    .trials = std::ssize(trials)};
  for (const auto& [trial, distance] : trials) {
    standing.errors += trial->errors.cwiseAbs().cwiseMin(worst_error).colwise().mean().transpose();
    standing.distance += distance / static_cast<double>(trials.size());
  }
  standing.errors /= static_cast<double>(trials.size());

  const auto weights = weights_of(standing.errors, standing.trials);
  std::vector<double> sizes, spreads, ratios;
  for (const auto& [trial, distance] : trials) {
    for (Index i = 0; i < trial->errors.rows(); ++i) {
      const VectorXd row = trial->errors.row(i).cwiseMin(worst_error).cwiseMax(-worst_error);
      const bool within_range = !leaves_range(condition.situation);
      sizes.push_back(std::abs(agreed(weights, row, within_range)));
      spreads.push_back(disagreement(weights, row, within_range));
    }
  }
  standing.median = std::max(1e-6, stats::median(sizes));
  standing.p90 = stats::quantile(sizes, promise);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    ratios.push_back(sizes[i] / expected_size(standing, spreads[i]));
  const auto count = static_cast<double>(ratios.size());
  standing.reach = stats::quantile(ratios, std::min(1.0, promise * (1 + 1 / count)));
  return standing;
}

}  // namespace

double agreed(const VectorXd& weights, const VectorXd& values, bool within_range) {
  if (within_range) return weighted_sum(weights, values);
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  double below = 0;
  for (const auto i : order) {
    below += weights[i];
    if (below >= 0.5) return values[i];
  }
  return values[order.back()];
}

Blend Blend::learn(const std::vector<Trial>& trials) {
  std::map<Condition, std::vector<Tried>> by_condition;
  for (const auto& trial : trials) {
    for (std::size_t i = 0; i < trial.conditions.size(); ++i) {
      const auto& condition = trial.conditions[i];
      by_condition[condition].push_back({&trial, trial.distances[i]});
      auto& of_situation = by_condition[{condition.situation, any_column}];
      if (condition.situation != Situation::inside &&
          (of_situation.empty() || of_situation.back().trial != &trial))
        of_situation.push_back({&trial, trial.distances[i]});
    }
  }
  std::vector<Standing> standings;
  for (const auto& [condition, own] : by_condition) {
    if (own.empty()) continue;
    const auto first = own.front().trial - trials.data();
    standings.push_back(standing_of(condition, condition.column == any_column ? any_column : first, own));
  }
  return Blend(std::move(standings));
}

/// That of the condition itself; else of its situation in all columns, else the worst that was tried, but of
/// what lies within the range of a number that of the inside.
const Standing& Blend::nearest_to(const Condition& condition) const {
  const Standing *of_situation = nullptr, *worst = &standings_.front();
  for (const auto& standing : standings_) {
    if (standing.condition == condition) return standing;
    if (standing.condition == Condition{condition.situation, any_column}) of_situation = &standing;
    if (standing.median * standing.reach > worst->median * worst->reach) worst = &standing;
  }
  if (!of_situation && is_in_range(condition.situation)) return nearest_to({});
  return of_situation ? *of_situation : *worst;
}

std::vector<const Standing*> Blend::for_place(const Place& place) const {
  std::vector<const Standing*> all;
  for (const auto& condition : place.conditions) all.push_back(&nearest_to(condition));
  if (all.empty()) all.push_back(&nearest_to({}));
  return all;
}

VectorXd Blend::weights(const Place& place) const {
  VectorXd squares = VectorXd::Zero(standings_.front().errors.size());
  std::int64_t trials = most_power;
  for (const auto* standing : for_place(place)) {
    squares += standing->errors.cwiseAbs2();
    trials = std::min(trials, standing->trials);
  }
  return weights_of(squares.cwiseSqrt(), trials);
}

std::vector<bool> Blend::counting(const std::vector<Condition>& conditions) const {
  const auto ways = static_cast<Index>(departures);
  std::vector<bool> counts(static_cast<std::size_t>(standings_.front().errors.size() / ways), false);
  for (const auto& condition : conditions) {
    const auto& standing = nearest_to(condition);
    const VectorXd own = weights_of(standing.errors, standing.trials);
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = counts[i] || own.segment(static_cast<Index>(i) * ways, ways).maxCoeff() >= least_weight;
  }
  return counts;
}

/// Conditions that the same hold-outs speak for.
struct Blend::Group {
  std::int64_t number = 0;
  bool is_between = false;
  double half = 0;             ///< at the distance of the hold-outs
  double here = 0, tried = 0;  ///< squares of the distances, summed over the conditions

  double further() const { return tried > 0 ? here / tried : 1; }
};

/// How much the ways disagree about one row, as each standing was taught to measure it.
struct Blend::Disagreement {
  Disagreement(const VectorXd& weights, const VectorXd& log_means)
      : within(disagreement(weights, log_means, true)), beyond(disagreement(weights, log_means, false)) {}

  /// Half of an interval at the distance of the standing's trials.
  double half_by(const Standing& standing) const {
    const bool is_beyond = leaves_range(standing.condition.situation);
    return standing.reach * expected_size(standing, is_beyond ? beyond : within);
  }

  double within, beyond;
};

std::vector<Blend::Group> Blend::groups_of(const Place& place, const Disagreement& here) const {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < place.conditions.size(); ++i) {
    const auto& condition = place.conditions[i];
    const auto& standing = nearest_to(condition);
    const bool is_own = standing.condition == condition,
               is_between = condition.situation == Situation::between;
    if (is_between && standing.condition.situation != Situation::between) continue;  // none was tried
    const double distance = place.distances[i];
    double half = here.half_by(standing);
    if (!is_own && !is_between) half = hypotenuse(half, unknown_power_in(condition.situation) * distance);
    if (condition.situation == Situation::unseen && standing.condition.situation != Situation::unseen)
      half = hypotenuse(half, unknown_level);
    half *= 1 + 0.5 / static_cast<double>(standing.trials);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& each) { return is_own && each.number == standing.group; });
    if (group == groups.end())
      group = groups.insert(group, {is_own ? standing.group : any_column, is_between});
    group->half = std::max(group->half, half);
    group->is_between = group->is_between && is_between;
    group->here += is_own || is_between ? distance * distance : 0;
    group->tried += standing.distance * standing.distance;
  }
  return groups;
}

double Blend::half_width(const Place& place, const VectorXd& weights, const VectorXd& log_means,
                         double noise) const {
  const Disagreement here(weights, log_means);
  double squares = noise * noise * 2.7;  // nine of ten measurements lie within 1.645 deviations
  const auto groups = groups_of(place, here);
  // Between measured values a hold-out's errors are those of the inside too: what it adds grows with the
  // distance.
  const bool is_within = std::ranges::all_of(
      place.conditions, [](const Condition& each) { return each.situation == Situation::between; });
  const double inside_square = is_within ? squared(here.half_by(nearest_to({}))) : 0;
  squares += inside_square;
  for (const auto& group : groups) {
    const double square = squared(group.half);
    squares += group.is_between ? std::max(0.0, square - inside_square) * group.further()
                                : square * std::max(1.0, group.further());
  }
  return std::sqrt(squares);
}

}  // namespace neph::predict
