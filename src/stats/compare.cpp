#include "stats/compare.hpp"

#include <cmath>
#include <vector>

#include "stats/difference.hpp"
#include "stats/distribution.hpp"
#include "stats/mean.hpp"

namespace neph::stats {
namespace {

std::vector<double> log_ratios(std::span<const Pair> pairs) {
  std::vector<double> differences;
  differences.reserve(pairs.size());
  for (const auto& [baseline, candidate] : pairs)
    differences.push_back(std::log(candidate) - std::log(baseline));
  return differences;
}

Ratio with_change(const Estimate& ratio, Better better) {
  Ratio result{.ratio = ratio};
  if (!ratio.low || !ratio.high) return result;
  if (*ratio.low > 1) result.change = better == Better::higher ? Change::faster : Change::slower;
  if (*ratio.high < 1) result.change = better == Better::higher ? Change::slower : Change::faster;
  return result;
}

}  // namespace

Ratio compare_pairs(std::span<const Pair> pairs, Better better) {
  return with_change(ratio_of(difference_of_pairs(pairs)), better);
}

Ratio compare_blocks(std::span<const std::vector<Pair>> sets, Better better) {
  std::vector<std::vector<double>> differences;
  for (const auto& pairs : sets) differences.push_back(log_ratios(pairs));
  auto ratio = mean_over_blocks(differences);
  ratio.value = std::exp(ratio.value);
  for (auto* end : {&ratio.low, &ratio.high})
    if (*end) *end = std::exp(**end);
  return with_change(ratio, better);
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
  return with_change(ratio_of(difference(baseline, candidate)), better);
}

}  // namespace neph::stats
