// Where a series begins to lie elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace neph::stats {

struct FoundChange {
  std::size_t place = 0;  ///< of the first value that lies elsewhere
  double p_value = 1;     ///< of the permutation test that found it
};

/// E-divisive (Matteson, James, J. Am. Statist. Assoc. 109, 2014): the split whose two sides have the largest
/// energy distance (exponent 1) is taken while a permutation test with 199 draws shows it (p <= 0.05), then
/// the segments are split again. Finds changes of the distribution, not of the mean alone, and needs no
/// normal values. A side has `least_segment` values or more, at least 2. In the order of their places; none
/// in a series with values that are not finite. Cost: 0.2 s for 1,000 values.
std::vector<FoundChange> change_points(std::span<const double> values, std::size_t least_segment,
                                       std::uint64_t seed);

}  // namespace neph::stats
