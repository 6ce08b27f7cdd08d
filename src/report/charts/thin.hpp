// Less data for the same picture.
#pragma once

#include <cstddef>
#include <vector>

namespace neph::report {

struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

/// At most `most` points: each stands for a bucket of neighbours, at the last one's x, with the mean of their
/// finite y (not a number where there is none). x must rise; the shorter of the two vectors counts. `most` is
/// at least 1.
Points bucket_means(const std::vector<double>& x, const std::vector<double>& y, std::size_t most);

/// The distribution of `samples` at not more than `most` quantiles, which lie the closer the nearer they are
/// to 1, as the eye needs them on an axis of 1/(1-q): x is 1/(1-q), y the value. Rank r of n stands at q = (r
/// - 0.5)/n (Hazen). Samples that are not finite do not count.
Points upper_quantiles(std::vector<double> samples, std::size_t most);

}  // namespace neph::report
