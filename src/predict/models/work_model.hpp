// Times that are put together from work: a sum of terms with coefficients that are rates and therefore never
// below 0, of each machine its own. Fitted to relative errors.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "core/result.hpp"

namespace neph::predict {

/// log t = log sum_k c_k T_k
struct WorkModel {
  Eigen::VectorXd coefficients;              ///< of a level that is not known
  std::optional<Eigen::Index> own_category;  ///< whose levels have coefficients of their own
  Eigen::MatrixXd own;                       ///< levels by terms

  /// `terms`: rows by terms, none below 0.
  Eigen::VectorXd log_mean(const Eigen::MatrixXd& terms, const Eigen::MatrixXi& levels) const;
};

struct WorkSettings {
  std::optional<Eigen::Index> own_category;
  /// So many rows of its own weigh as much as what a level's coefficients are drawn to.
  double pooling = 50;
  /// The same of the shares that the other levels have in that.
  double mixing = 1;
  /// Whether the terms are times by each level's data sheet, so that levels compare.
  bool are_at_speed = false;
};

/// Error: invalid_argument (no terms; numbers so large or small that their quotients are not finite).
Result<WorkModel> fit_work(const Eigen::MatrixXd& terms, const Eigen::MatrixXi& levels,
                           const Eigen::VectorXd& log_target, const WorkSettings& settings);

}  // namespace neph::predict
