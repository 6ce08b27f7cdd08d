// Order statistics: which of the sorted samples bound a quantile. Inside the module.
// Source: David, Nagaraja, Order Statistics, 3rd ed., section 7.1; Le Boudec, Performance Evaluation of
// Computer and Communication Systems, section 2.2.2 (theorem 2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace neph::stats {

/// Two of the ranks 1 .. n of the sorted samples.
struct Ranks {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// The ranks between whose samples the q-quantile of the distribution lies with at least 95 %, whatever the
/// distribution: P(low <= B < high) for B binomial (n, q). Both tails get 2.5 %; where even the smallest or
/// the largest sample leaves more than that in its tail, it is taken and the other tail gets what is left of
/// the 5 %. Empty where 1 - q^n - (1-q)^n < 0.95: no two samples bound the quantile.
std::optional<Ranks> quantile_ranks(std::int64_t n, double q);

bool all_finite(std::span<const double> samples);

/// A sorted copy; empty when a sample is not finite.
std::vector<double> sorted(std::span<const double> samples);

/// Linear between the two nearest samples (type 7 of Hyndman, Fan, The American Statistician 50(4), 1996; the
/// default of R and NumPy). NaN for no samples or q outside 0 .. 1.
double quantile_of_sorted(std::span<const double> samples, double q);

}  // namespace neph::stats
