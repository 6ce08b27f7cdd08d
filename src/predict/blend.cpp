#include "predict/blend.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/stats.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::int64_t most_power = 8, power_per_trial = 4;
constexpr double promise = 0.9;
constexpr Index any_column = -1;
/// The power of a number without trials of its own: it may be about this one more or less than what is
/// predicted.
constexpr double unknown_power = 0.5;
constexpr double worst_error = 5;  ///< a factor of 150: a candidate that failed

VectorXd weights_of(const VectorXd& errors, std::int64_t trials) {
  const auto power = std::min(most_power, power_per_trial * trials);
  const VectorXd ratio = std::max(1e-6, errors.minCoeff()) / errors.array().max(1e-6);
  VectorXd weights = VectorXd::Ones(errors.size());
  for (std::int64_t i = 0; i < power; ++i) weights.array() *= ratio.array();
  return weights / weights.sum();
}

/// As std::hypot, whose last bit depends on the library.
double hypotenuse(double a, double b) { return std::sqrt(a * a + b * b); }

/// How much candidates differ, by their weights.
double disagreement(const VectorXd& weights, const VectorXd& values) {
  const double mean = weights.dot(values);
  return std::sqrt(weights.dot((values.array() - mean).square().matrix()));
}

/// Trials of one condition, summed up.
Standing standing_of(const Condition& condition, const std::vector<const Trial*>& trials) {
  Standing standing{.condition = condition,
                    .errors = VectorXd::Zero(trials.front()->errors.cols()),
                    .trials = std::ssize(trials)};
  for (const auto* trial : trials) {
    standing.errors += trial->errors.cwiseAbs().cwiseMin(worst_error).colwise().mean().transpose();
    standing.distance += trial->distance / static_cast<double>(trials.size());
  }
  standing.errors /= static_cast<double>(trials.size());

  const auto weights = weights_of(standing.errors, standing.trials);
  std::vector<double> sizes, spreads, ratios;
  for (const auto* trial : trials) {
    for (Index i = 0; i < trial->errors.rows(); ++i) {
      const VectorXd row = trial->errors.row(i).cwiseMin(worst_error).cwiseMax(-worst_error);
      sizes.push_back(std::abs(weights.dot(row)));
      spreads.push_back(disagreement(weights, row));
    }
  }
  standing.median = std::max(1e-6, stats::median(sizes));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    ratios.push_back(sizes[i] / hypotenuse(standing.median, spreads[i]));
  const auto count = static_cast<double>(ratios.size());
  standing.reach = stats::quantile(ratios, std::min(1.0, promise * (1 + 1 / count)));
  return standing;
}

}  // namespace

Blend Blend::learn(const std::vector<Trial>& trials) {
  std::map<Condition, std::vector<const Trial*>> by_condition;
  for (const auto& trial : trials) {
    by_condition[trial.condition].push_back(&trial);
    if (trial.condition.situation != Situation::inside)
      by_condition[{trial.condition.situation, any_column}].push_back(&trial);
  }
  std::vector<Standing> standings;
  for (const auto& [condition, own] : by_condition) standings.push_back(standing_of(condition, own));
  return Blend(std::move(standings));
}

/// That of the condition itself; else of its situation in all columns, else the worst that was tried.
const Standing& Blend::nearest_to(const Condition& condition) const {
  const Standing *of_situation = nullptr, *worst = &standings_.front();
  for (const auto& standing : standings_) {
    if (standing.condition == condition) return standing;
    if (standing.condition == Condition{condition.situation, any_column}) of_situation = &standing;
    if (standing.median * standing.reach > worst->median * worst->reach) worst = &standing;
  }
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

double Blend::half_width(const Place& place, const VectorXd& weights, const VectorXd& log_means,
                         double noise) const {
  const double spread = disagreement(weights, log_means);
  double squares = noise * noise * 2.7;  // nine of ten measurements lie within 1.645 deviations
  const auto standings = for_place(place);
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const auto& standing = *standings[i];
    double half = standing.reach * hypotenuse(standing.median, spread);
    const double distance = i < place.distances.size() ? place.distances[i] : 0;
    const bool is_own = place.conditions.empty() || standing.condition == place.conditions[i];
    if (distance > 0 && is_own && standing.distance > 0) half *= std::max(1.0, distance / standing.distance);
    if (distance > 0 && !is_own) half = hypotenuse(half, unknown_power * distance);
    if (!is_own || !place.conditions.empty()) half *= 1 + 0.5 / static_cast<double>(standing.trials);
    squares += half * half;
  }
  return std::sqrt(squares);
}

}  // namespace neph::predict
