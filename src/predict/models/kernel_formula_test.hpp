// gaussian_process.hpp's formula, term after term, for tests of what computes it quickly.
#pragma once

#include <cmath>

#include "core/random.hpp"
#include "predict/models/gaussian_process.hpp"

namespace neph::predict {

/// Few different numbers and levels, so that points lie at the same places; some levels are not known.
inline FeatureMatrix places_on_a_grid(Eigen::Index rows, Random& random) {
  FeatureMatrix places{Eigen::MatrixXd(rows, 3), Eigen::MatrixXi(rows, 2)};
  for (auto& value : places.numbers.reshaped()) value = 0.7 * static_cast<double>(random.below(4)) - 1;
  for (auto& level : places.levels.reshaped()) level = static_cast<int>(random.below(4)) - 1;
  return places;
}

/// Of the places that places_on_a_grid() makes.
inline Kernel kernel_of_a_grid() { return {0.8, 0.3, 0.1, {0.5, 2, 30}, {{1.4, 0.6, 0.2}, {0.9, 0.1, 0.7}}}; }

inline double matern_by_formula(double r2) {
  const double s = std::sqrt(5 * r2);
  return (1 + s + s * s / 3) * std::exp(-s);
}

inline double covariance_by_formula(const Kernel& kernel, const FeatureMatrix& here, Eigen::Index row,
                                    const FeatureMatrix& there, Eigen::Index other) {
  double r2 = 0, product = 0;
  for (Eigen::Index j = 0; j < here.numbers.cols(); ++j) {
    const double a = here.numbers(row, j), b = there.numbers(other, j);
    r2 += std::pow((a - b) / kernel.lengths[static_cast<std::size_t>(j)], 2);
    product += a * b;
  }
  double smooth = std::pow(kernel.amplitude, 2) * matern_by_formula(r2);
  double covariance = std::pow(kernel.slope, 2) * product;
  for (Eigen::Index c = 0; c < here.levels.cols(); ++c) {
    const auto& own = kernel.own[static_cast<std::size_t>(c)];
    if (here.levels(row, c) >= 0 && here.levels(row, c) == there.levels(other, c))
      covariance += std::pow(own.offset, 2) + std::pow(own.slope, 2) * product;
    else
      smooth *= std::exp(-1 / std::pow(own.length, 2));
  }
  covariance += smooth;
  return covariance;
}

}  // namespace neph::predict
