#include "stats/histogram.hpp"

#include <cmath>

#include "stats/distribution.hpp"
#include "stats/order.hpp"

namespace neph::stats {

/// The smallest value of a bucket: the inverse of bucket_of().
std::int64_t Histogram::low_edge(std::size_t bucket) {
  constexpr std::size_t per_doubling = std::size_t{1} << (kBitsKept - 1);
  if (bucket < 2 * per_doubling) return static_cast<std::int64_t>(bucket);
  const std::size_t dropped = bucket / per_doubling - 1;
  return static_cast<std::int64_t>((bucket - dropped * per_doubling) << dropped);
}

/// Of the values that the bucket can hold, given the smallest and the largest one that were recorded.
double Histogram::middle_of(std::size_t bucket) const {
  const std::int64_t low = std::max(low_edge(bucket), min_ns_);
  const std::int64_t high = std::min(low_edge(bucket + 1) - 1, max_ns_);
  return (static_cast<double>(low) + static_cast<double>(high)) / 2;
}

/// `rank` in 1 .. count_.
std::size_t Histogram::bucket_of_rank(std::int64_t rank) const {
  std::size_t bucket = bucket_of(min_ns_);
  for (std::int64_t seen = counts_[bucket]; seen < rank; seen += counts_[bucket]) ++bucket;
  return bucket;
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) counts_[bucket] += other.counts_[bucket];
  count_ += other.count_;
  out_of_range_ += other.out_of_range_;
  sum_ns_ += other.sum_ns_;
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

Estimate Histogram::mean_ns() const {
  if (count_ == 0) return {};
  const auto n = static_cast<double>(count_);
  Estimate mean{.value = static_cast<double>(sum_ns_) / n, .n = count_};
  if (count_ < 2) return mean;
  double squares = 0;
  for (std::size_t bucket = bucket_of(min_ns_); bucket <= bucket_of(max_ns_); ++bucket) {
    if (counts_[bucket] == 0) continue;
    const double distance = middle_of(bucket) - mean.value;
    squares += static_cast<double>(counts_[bucket]) * distance * distance;
  }
  const double half = student_t_bound(n - 1) * std::sqrt(squares / (n - 1) / n);
  mean.low = mean.value - half;
  mean.high = mean.value + half;
  return mean;
}

Estimate Histogram::quantile_ns(double q) const {
  if (count_ == 0 || !(q >= 0 && q <= 1)) return {};
  const auto rank = static_cast<std::int64_t>(std::ceil(q * static_cast<double>(count_)));
  Estimate result{.value = middle_of(bucket_of_rank(std::max<std::int64_t>(1, rank))), .n = count_};
  if (const auto ranks = quantile_ranks(count_, q)) {
    const std::int64_t low = low_edge(bucket_of_rank(ranks->low));
    const std::int64_t high = low_edge(bucket_of_rank(ranks->high) + 1) - 1;
    result.low = static_cast<double>(std::max(low, min_ns_));
    result.high = static_cast<double>(std::min(high, max_ns_));
  }
  return result;
}

std::vector<HistogramBucket> Histogram::buckets(std::int32_t per_doubling) const {
  constexpr std::uint32_t finest = 1u << (kBitsKept - 1);
  const std::size_t joined =
      finest / std::bit_floor(std::clamp<std::uint32_t>(static_cast<std::uint32_t>(per_doubling), 1, finest));
  std::vector<HistogramBucket> result;
  for (std::size_t begin = 0; begin < counts_.size(); begin += joined) {
    std::int64_t count = 0;
    for (std::size_t bucket = begin; bucket < begin + joined; ++bucket) count += counts_[bucket];
    if (count > 0) result.push_back({low_edge(begin), low_edge(begin + joined), count});
  }
  return result;
}

}  // namespace neph::stats
