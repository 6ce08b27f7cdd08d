// A law of one or two parameters fitted to logarithms of positive numbers, each block with a level of its
// own. Inside the module: others use stats/scaling_laws.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/estimate.hpp"

namespace neph::stats {

struct Observation {
  double x = 0;
  double log_y = 0;
  std::int64_t block = 0;
};

/// Each from 0 to 1; a law of one parameter ignores the second.
using Theta = std::array<double, 2>;

struct LogLaw {
  int parameters = 1;
  double (*shape)(double x, const Theta& theta, double scale);  ///< logarithm, but for the level
  double scale = 1;                                             ///< handed to `shape`
};

struct ProfileFit {
  LogLaw law;
  Theta best{};
  /// The edge of the 95 % likelihood region, with `best`: the interval of any function of the parameters goes
  /// from the least to the most that it is there.
  std::vector<Theta> region;
  Estimate log_level;      ///< mean over the blocks
  std::vector<double> xs;  ///< of the observations
  std::int64_t runs = 0;
  /// Probability of a lack of fit as large as this one, were the law right; NaN: nothing to judge it by.
  double p_misfit = std::numeric_limits<double>::quiet_NaN();
  double worst_miss = 0;  ///< of the mean at an x, relative: 0.03 is 3 %

  Estimate of(auto function) const;
  /// Of the shape, over the observations.
  double mean_shape(const Theta& theta) const;
};

/// Least squares in the logarithms with an additive level per block (randomised complete blocks, Montgomery,
/// Design and Analysis of Experiments, chapter 4). The intervals are profile likelihood's (Bates, Watts,
/// Nonlinear Regression Analysis, 1988, chapter 6): where the residual sum of squares stays below its minimum
/// plus s² t². The lack of fit is judged against the pure error that two-way means of x and block leave
/// (Draper, Smith, Applied Regression Analysis, 1.5); where it is shown (p < 0.05), s² is that of the lack of
/// fit with its own degrees of freedom (Finney's heterogeneity factor, Probit Analysis, 1971), so that few x
/// that miss the law give wide intervals. Empty: something is not finite, or no degree of freedom is left.
/// Cost: a few milliseconds.
std::optional<ProfileFit> fit_profile(std::span<const Observation> observations, const LogLaw& law);

Estimate ProfileFit::of(auto function) const {
  Estimate result{.value = function(best), .n = runs};
  for (const auto& theta : region) {
    const double value = function(theta);
    if (!result.low || value < *result.low) result.low = value;
    if (!result.high || value > *result.high) result.high = value;
  }
  return result;
}

}  // namespace neph::stats
