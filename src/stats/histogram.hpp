// A histogram of durations that is as precise at a microsecond as at an hour.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/estimate.hpp"

namespace neph::stats {

/// low_ns <= duration < high_ns.
struct HistogramBucket {
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
  std::int64_t count = 0;
};

/// Counts durations in nanoseconds, 0 .. 73 minutes, in log-linear buckets as Tene's HdrHistogram does: one
/// per value below 2,048 ns, then 1,024 per doubling, so that a bucket is never wider than 0.1 % of what is
/// in it (three significant digits). Durations outside count as the nearest one inside, and out_of_range()
/// says how many. Histograms of different threads or runs merge into what one histogram of all would be.
/// Threads: one at a time; record into one per thread and merge. Cost: 264 KiB; record() a few nanoseconds
/// without an allocation or a lock; the figures walk over the buckets, some microseconds.
class Histogram {
 public:
  static constexpr std::int64_t kLargest_ns = (std::int64_t{1} << 42) - 1;

  Histogram() : counts_(bucket_of(kLargest_ns) + 1) {}

  void record(std::int64_t duration_ns) {
    const std::int64_t value = std::clamp<std::int64_t>(duration_ns, 0, kLargest_ns);
    ++counts_[bucket_of(value)];
    ++count_;
    out_of_range_ += value != duration_ns;
    sum_ns_ += value;
    min_ns_ = std::min(min_ns_, value);
    max_ns_ = std::max(max_ns_, value);
  }

  void merge(const Histogram& other);

  std::int64_t count() const { return count_; }
  std::int64_t out_of_range() const { return out_of_range_; }
  /// Exact; 0 when nothing was recorded.
  std::int64_t min_ns() const { return count_ > 0 ? min_ns_ : 0; }
  std::int64_t max_ns() const { return max_ns_; }

  /// The mean in ns, exact up to 292 years in all, with Student's t interval from the buckets' spread.
  Estimate mean_ns() const;

  /// The q-quantile (0 <= q <= 1) in ns: the middle of the bucket of the smallest duration that at least the
  /// share q of all does not exceed, within 0.05 % of it; with the distribution-free interval of
  /// quantile_estimate(), widened to the edges of its buckets. NaN when nothing was recorded.
  Estimate quantile_ns(double q) const;

  /// The buckets that are not empty, in order, for a chart; `per_doubling` (a power of two, 1 .. 1024)
  /// neighbours make up each doubling of the duration.
  std::vector<HistogramBucket> buckets(std::int32_t per_doubling = 1024) const;

  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  static constexpr int kBitsKept = 11;  ///< of a value's leading bits: 2^10 buckets per doubling

  static constexpr std::size_t bucket_of(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    const int dropped = std::max(0, static_cast<int>(std::bit_width(bits)) - kBitsKept);
    return (static_cast<std::size_t>(dropped) << (kBitsKept - 1)) + (bits >> dropped);
  }
  static std::int64_t low_edge(std::size_t bucket);
  double middle_of(std::size_t bucket) const;
  std::size_t bucket_of_rank(std::int64_t rank) const;

  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
  std::int64_t out_of_range_ = 0;
  std::int64_t sum_ns_ = 0;
  std::int64_t min_ns_ = kLargest_ns;
  std::int64_t max_ns_ = 0;
};

}  // namespace neph::stats
