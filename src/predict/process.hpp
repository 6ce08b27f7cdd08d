// A Gaussian process for the logarithm of a time, less what a backbone says of it: smooth in all numbers,
// alike for rows of one category, with a part of its own for each category (Rasmussen, Williams, Gaussian
// Processes for Machine Learning, 2006, chapters 2, 4 and 5; categories as in the linear model of
// coregionalization with one shared and one own process).
//
//   k(x, x') = a^2 M(r) + w^2 x.x' + sum over category columns c [level = level'] (b_c^2 + a_c^2 M(r) + w_c^2
//   x.x')
//              + n^2 [same row]
//
// M: Matern 5/2 of r^2 = sum_j ((x_j - x'_j) / l_j)^2. The lengths l and the deviations a, w, b, n have
// log-normal priors; the most probable ones are taken (MAP), found by L-BFGS with analytic gradients.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/result.hpp"

namespace neph::predict {

/// Levels: one column per category; -1: not known.
struct Places {
  Eigen::MatrixXd numbers;  ///< rows by columns
  Eigen::MatrixXi levels;   ///< rows by category columns
};
/// In the order given. Of a matrix without columns nobody needs to have made rows.
template <class Matrix>
Matrix some_rows(const Matrix& all, std::span<const std::size_t> rows) {
  Matrix some(static_cast<Eigen::Index>(rows.size()), all.cols());
  if (all.cols() == 0) return some;
  for (Eigen::Index i = 0; i < some.rows(); ++i)
    some.row(i) = all.row(static_cast<Eigen::Index>(rows[static_cast<std::size_t>(i)]));
  return some;
}
Places rows_of(const Places& places, std::span<const std::size_t> rows);
Eigen::VectorXd rows_of(const Eigen::VectorXd& values, std::span<const std::size_t> rows);

/// The first categories of a table, two by two, are categories too: a network may suit a machine.
constexpr Eigen::Index most_paired = 3;
constexpr Eigen::Index pairs_of(Eigen::Index categories) {
  const auto paired = std::min(categories, most_paired);
  return paired * (paired - 1) / 2;
}
/// The same places with a column of levels for each pair.
Places with_pairs(const Places& places);

/// Deviations and lengths, as in the kernel above.
struct Kernel {
  double amplitude = 1;
  double slope = 1;
  double noise = 0.1;
  std::vector<double> lengths;  ///< one per column of numbers
  struct Own {
    double offset = 1;
    double amplitude = 0.5;
    double slope = 0.5;
  };
  std::vector<Own> own;  ///< one per category column, and per pair of them
};

/// How numbers are brought to mean 0 and deviation 1.
struct Scaling {
  Eigen::RowVectorXd center, width;
  static Scaling of(const Eigen::MatrixXd& numbers);
  Places apply(const Places& places) const;
};

struct ProcessSettings {
  /// Rows that the kernel is chosen on; all are used once it is.
  std::size_t most_rows_for_kernel = 300;
  /// Rows that are followed, of which the cost is a cubic: of more, a draw.
  std::size_t most_rows = 2000;
  int most_steps = 60;
  /// Deviation of the target's noise that repeats show; 0: not known.
  double least_noise = 1e-3;
  /// Where the search for a kernel begins: one of much the same rows; empty: what is usual.
  std::optional<Kernel> first_guess;
};

class Process {
 public:
  /// Errors: invalid_argument (no rows, or numbers that are not finite).
  static Result<Process> fit(const Places& places, const Eigen::VectorXd& target,
                             const ProcessSettings& settings);
  /// With a kernel that is known; `scaled` places.
  static Result<Process> with_kernel(Scaling scaling, Places scaled, const Eigen::VectorXd& target,
                                     Kernel kernel);
  /// As a model file has it.
  Process(Scaling scaling, Places scaled, Eigen::VectorXd weights, Kernel kernel)
      : scaling_(std::move(scaling)),
        places_(std::move(scaled)),
        weights_(std::move(weights)),
        kernel_(std::move(kernel)) {}

  /// What the target is there, 0 far away from all rows and in no known direction. The same bits on every
  /// machine.
  Eigen::VectorXd mean(const Places& at) const;

  /// How the target varies there around its mean, without noise, given the rows that are followed: rows by
  /// rows of `at`. Error: internal (the covariance cannot be inverted). Cost: a cubic of the rows followed.
  Result<Eigen::MatrixXd> covariance(const Places& at) const;

  /// The same places, numbers beyond those of the rows fitted on brought to the nearest end.
  Places within_range(const Places& at) const;

  const Kernel& kernel() const { return kernel_; }
  const Scaling& scaling() const { return scaling_; }
  const Places& scaled_places() const { return places_; }
  const Eigen::VectorXd& weights() const { return weights_; }

 private:
  friend struct ModelParts;  // model_parts.hpp
  Scaling scaling_;
  Places places_;
  Eigen::VectorXd weights_;  ///< K^-1 y
  Kernel kernel_;
};

}  // namespace neph::predict
