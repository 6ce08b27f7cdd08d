// What a row would take on a machine of which no row was measured: work over speed.
//
//   log t(c, m) = f(c) - w log peak(m) - (1 - w) log bandwidth(m) + own(m, c) + family(m) + slopes(m, c)
//
// All parts are Gaussian (Rasmussen, Williams, 2006, chapter 2), with x the centred log peak and bandwidth:
//   f        a^2 k(c, c') + b^2 (levels that are the same) + l^2 c.c'
//   own      (s^2 + r^2 k(c, c')) [m = m']: of each machine, in all its rows and by configuration
//   family   g^2 [m and m' of one family]: of cards for games, say, beside those for servers
//   slopes   (p^2 + q^2 k(c, c')) x.x': a speed may count for more or less than in proportion
//   k        Matern 5/2 of the scaled numbers, times exp(-1 / h^2) for each category that differs
// Few tables have many machines: s, r, g, p, q and w have priors, which many machines overrule.
#pragma once

#include <vector>

#include "core/result.hpp"
#include "predict/features/feature_matrix.hpp"

namespace neph::predict {

/// Medians of the spreads' priors, as deviations of logarithms; from 19 public tables of several machines
/// (docs/PREDICTION-EVIDENCE.md).
struct MachineLawPrior {
  double compute_share = 0.45, share_deviation = 0.12;  ///< w
  double own = 0.18, own_by_row = 0.2;                  ///< s, r
  double family = 0.2;                                  ///< g
  double power = 0.12, power_by_row = 0.2;              ///< p, q
  double log_deviation = 0.5;                           ///< of the spreads' logarithms, between tables
};

/// Rows of the three matrices go together.
struct MachineRows {
  FeatureMatrix configurations;  ///< without the machine
  Eigen::MatrixXd log_speeds;    ///< rows by 2: of peak and bandwidth
  Eigen::VectorXi machines;      ///< levels; -1: unseen, whichever it is
  Eigen::VectorXi families;      ///< -1: not known
};

MachineRows rows_of(const MachineRows& rows, const std::vector<std::size_t>& which);

class MachineLaw {
 public:
  /// The most probable parameters on at most 220 rows, then 1,000 rows are followed. Error: internal (the
  /// covariance cannot be inverted).
  static Result<MachineLaw> fit(const MachineRows& rows, const Eigen::VectorXd& log_target,
                                const MachineLawPrior& prior = {});

  struct Answer {
    double log_mean = 0, deviation = 0;  ///< of one measurement's logarithm
  };
  /// What the rows made of the prior's medians.
  MachineLawPrior spreads() const;
  /// Of each row, by itself.
  std::vector<Answer> at(const MachineRows& rows) const;

 private:
  MachineLaw() = default;
  MachineRows scaled(const MachineRows& rows) const;

  Scaling scaling_;
  Eigen::RowVector2d center_ = Eigen::RowVector2d::Zero();  ///< of the log speeds
  Eigen::VectorXd parameters_;
  double level_ = 0;
  MachineRows rows_;
  Eigen::MatrixXd factor_;
  Eigen::VectorXd weights_;
};

}  // namespace neph::predict
