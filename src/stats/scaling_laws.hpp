// What more cores do, and what a step costs whatever its size: laws with intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "stats/profile_fit.hpp"

namespace neph::stats {

/// Amdahl (AFIPS Spring Joint Computer Conf., 1967): time(n) = t1 (s + (1 - s) / n).
/// Universal Scalability Law (Gunther, Guerrilla Capacity Planning, 2007, chapter 4):
/// time(n) = t1 (1 + sigma (n - 1) + kappa n (n - 1)) / n. Without kappa it is Amdahl's, with s = sigma.
enum class ScalingLaw { amdahl, universal };

/// One run. Runs of one block (a repeat) were made side by side.
struct RunTime {
  double x = 0;  ///< cores, or samples of a step
  double time = 0;
  std::int64_t block = 0;
};

inline constexpr std::size_t fewest_core_counts = 4;
inline constexpr double described_within = 0.05;  ///< a law that misses by less describes them well enough

class ScalingFit {
 public:
  ScalingFit(ScalingLaw law, ProfileFit fit, double least_cores, double most_cores)
      : law_(law), fit_(std::move(fit)), least_(least_cores), most_(most_cores) {}

  ScalingLaw law() const { return law_; }
  /// s or sigma, 0 to 1: the share of one core's time that more cores do not divide.
  Estimate serial() const;
  /// kappa, at least 0: what each pair of cores costs the others, as a share of one core's time.
  Estimate crosstalk() const;
  /// Cores at which it is fastest, sqrt((1 - sigma) / kappa), at least 1; beyond it gets slower. Infinite
  /// where nothing says that there is such a number; the interval's upper end is left empty where kappa may
  /// be 0.
  Estimate fastest_at() const;
  /// Cores beyond which less than half of each is used: where the speed-up is half their number. Infinite of
  /// perfect scaling; the interval's upper end is left empty where scaling may be perfect.
  Estimate half_used_at() const;
  /// Of a mean block; of one block there is no interval.
  Estimate time_at(double cores) const;
  /// Over one core.
  Estimate speedup_at(double cores) const;

  /// The misses are what repeats explain (p >= 0.05), or below `described_within`.
  bool describes() const;
  double p_misfit() const { return fit_.p_misfit; }      ///< NaN: no repeats to judge it by
  double worst_miss() const { return fit_.worst_miss; }  ///< of the mean at a number of cores: 0.03 is 3 %
  double least_cores() const { return least_; }          ///< that were measured
  double most_cores() const { return most_; }

 private:
  ScalingLaw law_;
  ProfileFit fit_;
  double least_, most_;
};

/// fit_profile() in the logarithms of the times, s and sigma between 0 and 1, kappa at least 0. Empty: fewer
/// than `fewest_core_counts`, or a time or a number of cores that is not positive. The intervals held in
/// 94 to 98 % of simulated experiments (scaling_laws_test.cpp repeats that).
std::optional<ScalingFit> fit_scaling(std::span<const RunTime> runs, ScalingLaw law);

/// time = a + b x with relative errors: the share of the time at `x` that a is, 0 to 1, with its interval.
struct FixedCost {
  Estimate share;
  double p_misfit = 0;    ///< NaN: no repeats to judge it by
  double worst_miss = 0;  ///< relative
};

/// Empty: fewer than 3 distinct x, or something that is not positive.
std::optional<FixedCost> fixed_cost_at(std::span<const RunTime> runs, double x);

}  // namespace neph::stats
