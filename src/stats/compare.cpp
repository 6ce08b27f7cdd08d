#include "stats/compare.hpp"

#include <cmath>
#include <vector>

#include "stats/distribution.hpp"
#include "stats/mean.hpp"

namespace neph::stats {
namespace {

/// Not finite where a value is not positive, which makes the mean over it unknown.
std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

std::vector<double> log_ratios(std::span<const Pair> pairs) {
  std::vector<double> differences;
  differences.reserve(pairs.size());
  for (const auto& [baseline, candidate] : pairs)
    differences.push_back(std::log(candidate) - std::log(baseline));
  return differences;
}

/// From the difference of logarithms back to the ratio.
Ratio ratio_of(Estimate difference, Better better) {
  Ratio result;
  result.ratio = {.value = std::exp(difference.value), .n = difference.n};
  if (!difference.low || !difference.high) return result;
  result.ratio.low = std::exp(*difference.low);
  result.ratio.high = std::exp(*difference.high);
  if (*difference.low > 0) result.change = better == Better::higher ? Change::faster : Change::slower;
  if (*difference.high < 0) result.change = better == Better::higher ? Change::slower : Change::faster;
  return result;
}

/// Of the difference of two means with variances a and b (of the means) and their degrees of freedom (Welch
/// 1947).
double welch_degrees(double a, double a_degrees, double b, double b_degrees) {
  return (a + b) * (a + b) / (a * a / a_degrees + b * b / b_degrees);
}

}  // namespace

Ratio compare_pairs(std::span<const Pair> pairs, Better better) {
  return ratio_of(mean_estimate(log_ratios(pairs)), better);
}

Ratio compare_blocks(std::span<const std::vector<Pair>> sets, Better better) {
  std::vector<std::vector<double>> differences;
  for (const auto& pairs : sets) differences.push_back(log_ratios(pairs));
  return ratio_of(mean_over_blocks(differences), better);
}

std::optional<std::int64_t> pairs_to_show(const Estimate& seen, std::int64_t most) {
  if (!seen.low || !seen.high || seen.n < 2) return std::nullopt;
  const auto n = static_cast<double>(seen.n);
  const double half = (std::log(*seen.high) - std::log(*seen.low)) / 2;
  const double deviation = half * std::sqrt(n) / student_t_bound(n - 1);
  const double effect = std::abs(std::log(seen.value)) / deviation;
  if (!(effect > 0)) return std::nullopt;
  for (std::int64_t pairs = 2; pairs <= most; ++pairs)
    if (t_test_power(effect, pairs) >= kPower) return pairs;
  return std::nullopt;
}

Ratio compare(std::span<const double> baseline, std::span<const double> candidate, Better better) {
  const Mean from = mean_of(logarithms(baseline));
  const Mean to = mean_of(logarithms(candidate));
  if (from.estimate.n == 0 || to.estimate.n == 0) return {};
  Estimate difference{.value = to.estimate.value - from.estimate.value, .n = from.estimate.n + to.estimate.n};
  if (from.standard_error && to.standard_error) {
    const double a = *from.standard_error * *from.standard_error;
    const double b = *to.standard_error * *to.standard_error;
    const double degrees =
        welch_degrees(a, static_cast<double>(from.estimate.n - 1), b, static_cast<double>(to.estimate.n - 1));
    const double half = a + b > 0 ? student_t_bound(degrees) * std::sqrt(a + b) : 0;
    difference.low = difference.value - half;
    difference.high = difference.value + half;
  }
  return ratio_of(difference, better);
}

}  // namespace neph::stats
