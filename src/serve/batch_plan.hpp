// Which waiting requests run together, and in which compiled size: a pure function of who waits and of what
// executions of each size have been measured to cost. Only for files of this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace neph::serve {

/// A compiled batch size and the time of one execution.
struct SizeCost {
  std::int64_t rows = 1;
  double seconds = 0;
};

struct BatchPlan {
  std::size_t requests = 0;  ///< from the front of the queue; 0: wait for more
  std::size_t size = 0;      ///< index into the sizes: the smallest that holds them
};

/// Takes the front of the queue, in order, that costs the least time per row, and the longer of two that
/// cost the same. A request is never split; each has at most as many rows as the largest size. Nothing is
/// taken while waiting may still pay: nobody is in a hurry (`may_wait`), and a size that the queue does not
/// fill yet costs less per row. `queue` holds the rows of each request, first come first; neither it nor
/// `sizes`, which ascend, is empty.
BatchPlan plan_batch(std::span<const std::int64_t> queue, std::span<const SizeCost> sizes, bool may_wait);

/// Index of the smallest size that holds so many rows; as many as there are: none.
std::size_t smallest_holding(std::span<const SizeCost> sizes, std::int64_t rows);

}  // namespace neph::serve
