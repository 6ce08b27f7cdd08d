// How far to trust each member where: their weights, and the intervals of what they agree on.
#pragma once

#include <span>

#include "predict/ensemble/trial.hpp"

namespace neph::predict {

/// Of the members in one shift, by its trials.
struct ShiftScore {
  Shift shift;             ///< column -1: all columns
  std::int64_t group = 0;  ///< the same where what was left out first is the same; -1: all columns
  Eigen::VectorXd errors;  ///< mean absolute error of each member, in logarithms
  std::int64_t trials = 0;
  double distance = 0;  ///< mean of the trials'
  /// Of the ensemble's absolute errors: their median, and what nine of ten of them keep below, of all and as
  /// a multiple of what is expected of how much the members disagree (half_width).
  double median = 0, p90 = 0, reach = 0;
};

/// What members say together: inside their weighted mean, in which errors cancel; elsewhere their weighted
/// median, which one that goes astray does not move. NaN has no weight.
double agreed(const Eigen::VectorXd& weights, const Eigen::VectorXd& values, bool is_inside);

struct ShiftScores {
  std::vector<ShiftScore> scores;  ///< by shift; those of all columns before those of one

  static ShiftScores learn(const std::vector<Trial>& trials);

  /// One over the square of each member's error where the row lies, inside over its fourth power; they add up
  /// to 1.
  Eigen::VectorXd weights(const QueryPosition& position) const;

  /// Half of the 90 % interval of a logarithm of which the members say `log_means`. Conformal: errors in
  /// hold-outs of the same shift over their expected size (Lei et al., JASA 113, 2018), each hold-out one
  /// draw (Lee, Barber, Willett, Distribution-free inference with hierarchical data, 2023). The usual
  /// error of a shift grows with the distance; between values what it adds to the inside's variance falls
  /// with the squared distance from the nearest one. `noise`: deviation of one measurement beyond
  /// that of the points that were held out. Shifts of one group are one: the same hold-outs speak for all of
  /// them.
  double half_width(const QueryPosition& position, const Eigen::VectorXd& weights,
                    const Eigen::VectorXd& log_means, double noise) const;

  /// The first extrapolation of a kind that no hold-out was of; nullptr: there is none.
  const Shift* untried_in(const QueryPosition& position) const;

  /// Of all hold-outs of some kinds together; nothing: there are none.
  static std::optional<ShiftScore> of_kinds(const std::vector<Trial>& trials,
                                            std::span<const ShiftKind> kinds);

  const ShiftScore& nearest_to(const Shift& shift) const;
};

}  // namespace neph::predict
