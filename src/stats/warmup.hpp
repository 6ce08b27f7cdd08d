// When a warm-up is over: the running median of the batch times has become flat.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace neph::stats {

/// Two medians, each over `window` batches, the older right before the newer, count as equal when they differ
/// by no more than `tolerance` of the newer, or by no more than their noise explains.
struct WarmupRule {
  std::size_t window = 16;  ///< batches, at least 2
  double tolerance = 0.02;  ///< relative
};

/// Fed one time per batch, in any unit. Medians, because single slow batches are no trend. A decline slower
/// than the tolerance per window, or hidden in the noise, goes unseen: that is what trend_of() over the
/// measurement is for. Cost: add() O(1), flat() a sort of 2 x window numbers.
class Warmup {
 public:
  explicit Warmup(WarmupRule rule = {});

  void add(double batch_time);
  /// Whether the newest two windows agree; false until both are full.
  bool flat() const;
  /// Batches fed so far.
  std::size_t count() const { return count_; }

 private:
  WarmupRule rule_;
  std::vector<double> recent_;  ///< ring of the newest 2 x window times
  std::size_t count_ = 0;
};

/// The index of the first sample of the newer of the first two windows that agree: from there on the samples
/// count. Empty: never flat.
std::optional<std::size_t> steady_from(std::span<const double> samples, WarmupRule rule = {});

}  // namespace neph::stats
