// Which candidates to believe where, and how far.
#pragma once

#include <algorithm>
#include <vector>

#include "predict/trial.hpp"

namespace neph::predict {

/// How a row lies to what was fitted on: all that is true of it; empty: inside.
struct Place {
  std::vector<Condition> conditions;
  std::vector<double> distances;  ///< of each: how far beyond the range, or from the nearest value
  /// What leaves the table: of the conditions, and of columns that no candidate looks at. Of those the
  /// furthest alone is a condition: what nothing looks at says as little in a hundred columns as in one.
  std::vector<Condition> flagged;
  bool is_within_range() const {
    return std::ranges::none_of(conditions, leaves_range, &Condition::situation);
  }
};

/// Ways to predict in one condition, by their trials.
struct Standing {
  Condition condition;     ///< column -1: all columns
  std::int64_t group = 0;  ///< the same where what was left out first is the same; -1: all columns
  Eigen::VectorXd errors;  ///< mean absolute error of each way, in logarithms
  std::int64_t trials = 0;
  double distance = 0;  ///< mean of the trials'
  /// Of the blend's errors: their median, and what nine of ten of them keep below as a multiple of what is
  /// expected of how much the ways disagree (Blend::half_width).
  double median = 0;
  double reach = 0;
  double p90 = 0;  ///< what nine of ten of them keep below; those that the weights were learned from
};

/// What ways of these weights agree on. Within the ranges of numbers, where all are about right, their mean,
/// whose errors cancel; elsewhere their median, which one that goes astray does not move.
double agreed(const Eigen::VectorXd& weights, const Eigen::VectorXd& values, bool within_range);

/// Weights fall with a power of the error that grows with the number of trials: from one hold-out little can
/// be learned.
class Blend {
 public:
  static Blend learn(const std::vector<Trial>& trials);
  explicit Blend(std::vector<Standing> standings) : standings_(std::move(standings)) {}

  Eigen::VectorXd weights(const Place& place) const;
  /// Whether each candidate counts in one of the conditions at least, taken by itself. The ways are
  /// `departures` of each candidate.
  std::vector<bool> counting(const std::vector<Condition>& conditions) const;
  /// Half of the 90 % interval of a logarithm whose candidates say `log_means`. `noise`: deviation of one
  /// measurement beyond that of the points that were held out. Conditions of one group are one condition: the
  /// same hold-outs speak for all of them.
  double half_width(const Place& place, const Eigen::VectorXd& weights, const Eigen::VectorXd& log_means,
                    double noise) const;

  const std::vector<Standing>& standings() const { return standings_; }

 private:
  friend struct ModelParts;  // model_parts.hpp
  struct Group;
  struct Disagreement;
  std::vector<Group> groups_of(const Place& place, const Disagreement& here) const;
  std::vector<const Standing*> for_place(const Place& place) const;
  const Standing& nearest_to(const Condition& condition) const;

  std::vector<Standing> standings_;  ///< by condition; those of all columns before those of one
};

}  // namespace neph::predict
