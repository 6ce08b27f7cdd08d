// Probabilities from intervals: what would come of the choice, were each time what its interval allows. Only
// for files of this module.
#pragma once

#include <optional>
#include <vector>

#include "advise/candidate.hpp"
#include "core/random.hpp"

namespace neph::advise {

/// What the draws came to. Nothing where the intervals cannot tell.
struct Chances {
  std::vector<std::optional<double>> deadline, cheapest, fastest;  ///< of each candidate
  /// Of a predicted candidate: how likely it is cheaper (faster, where that is asked for) than the
  /// recommended one and keeps to the limits, and what it then saves, averaged over all draws.
  std::vector<std::optional<double>> better;
  std::vector<double> saving;
  std::optional<double> loss;  ///< of the recommended one: what it costs too much on average
  std::string unknown;         ///< why there are no chances of being the cheapest; empty: there are
};

/// No logarithm is drawn farther off, in units of its job's sigma.
inline constexpr double farthest = 30;

/// Student's t (Bailey, Mathematics of Computation 62, 1994).
double student(Random& random, double degrees);

/// Draws of how far the logarithm of a job's time is off, in units of its `sigma`: Student's t of as many
/// runs as the interval is of, and normal where that is not told. Of a job (its place) the same on all
/// offers, of two jobs independent ones.
std::vector<double> draws_of(std::size_t place, const Job& job, const Request& request);

/// The candidates are in the order of their costs; `choice` is of them.
Chances simulate(const std::vector<Job>& jobs, const std::vector<Candidate>& candidates, const Choice& choice,
                 const Request& request);

}  // namespace neph::advise
