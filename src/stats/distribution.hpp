// The few distributions that the intervals need. Inside the module: others use stats/stats.hpp.
#pragma once

#include <cstdint>

#include "core/percentile.hpp"

namespace neph::stats {

/// z with P(Z <= z) = p for a standard normal Z; infinite for p = 0 or 1.
double normal_quantile(double p);
/// P(Z <= z).
double normal_cdf(double z);
/// t with P(|T| <= t) = kConfidence for Student's T. `degrees` > 0, not necessarily whole (Welch).
double student_t_bound(double degrees);
/// P(T > t).
double student_t_tail(double t, double degrees);
/// t with P(T <= t) = p, below 0 for p < 1/2; infinite for p = 0.
double student_t_lower(double p, double degrees);
/// P(|T| > student_t_bound(n - 1)) where n normal samples have a mean of `effect` deviations, > 0: how often
/// the t test of n samples shows that their mean is not 0.
double t_test_power(double effect, std::int64_t n);
/// P(F > f) for Fisher and Snedecor's F with degrees of freedom a (above the line) and b.
double f_tail(double f, double a, double b);
/// P(B <= k) for B successes in n trials of probability p.
double binomial_cdf(std::int64_t k, std::int64_t n, double p);

}  // namespace neph::stats
