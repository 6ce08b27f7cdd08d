// A Gaussian process for the logarithm of a time, less what a backbone says of it (Rasmussen, Williams,
// Gaussian Processes for Machine Learning, 2006, chapters 2, 4 and 5): smooth in all numbers, alike for rows
// of alike categories.
//
//   k(x, x') = a^2 M(r) prod over categories c [level != level'] exp(-1 / l_c^2)
//              + w^2 x.x' + sum over categories c [level = level'] (b_c^2 + w_c^2 x.x')
//              + n^2 [same row]
//
// M: Matern 5/2 of r^2 = sum_j ((x_j - x'_j) / l_j)^2. The first line is the product kernel of numbers and
// one-hot categories with a length each. All parameters have log-normal priors; the most probable ones are
// taken (MAP), found by L-BFGS with analytic gradients.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/result.hpp"
#include "predict/features/feature_matrix.hpp"

namespace neph::predict {

/// Deviations and lengths, as in the kernel above.
struct Kernel {
  double amplitude = 1;
  double slope = 1;
  double noise = 0.1;
  std::vector<double> lengths;  ///< one per column of numbers
  struct Own {
    double length = 3;
    double offset = 1;
    double slope = 0.5;
    /// What another level takes the smooth part to.
    double likeness() const { return std::exp(-1 / (length * length)); }
  };
  std::vector<Own> own;  ///< one per category column
};

struct GaussianProcessSettings {
  /// Rows that the kernel is fitted to; all are used once it is.
  std::size_t most_rows_for_kernel = 600;
  /// Rows that are followed, of which the cost is a cubic: of more, a draw.
  std::size_t most_rows = 2500;
  int most_steps = 200;
  /// Deviation of the target's noise, at the least. Not what repeats show: the few that a table has may be of
  /// its noisiest configurations.
  double least_noise = 1e-3;
  /// Where the search for a kernel begins: one of much the same rows; empty: what is usual.
  std::optional<Kernel> first_guess;
};

struct GaussianProcess {
  Scaling scaling;
  FeatureMatrix rows;       ///< that are followed, scaled
  Eigen::VectorXd weights;  ///< K^-1 y
  Kernel kernel;
  double noise_raised = 1;  ///< by what its noise was multiplied to factorise; a file does not keep it

  /// Errors: invalid_argument (no rows, or numbers that are not finite).
  static Result<GaussianProcess> fit(const FeatureMatrix& rows, const Eigen::VectorXd& target,
                                     const GaussianProcessSettings& settings);
  /// With a kernel that is known; `scaled` rows.
  static Result<GaussianProcess> with_kernel(Scaling scaling, FeatureMatrix scaled,
                                             const Eigen::VectorXd& target, Kernel kernel);

  /// What the target is there, 0 far away from all rows and in no known direction.
  Eigen::VectorXd mean(const FeatureMatrix& at) const;

  /// How the target varies there around its mean, without noise, given the rows that are followed: rows by
  /// rows of `at`. Error: internal (the covariance cannot be inverted). Cost: a cubic of the rows followed.
  Result<Eigen::MatrixXd> covariance(const FeatureMatrix& at) const;
};

}  // namespace neph::predict
