#include "serve/batch_plan.hpp"

#include <algorithm>

namespace neph::serve {
namespace {

double per_row(double seconds, std::int64_t rows) { return seconds / static_cast<double>(rows); }

}  // namespace

std::size_t smallest_holding(std::span<const SizeCost> sizes, std::int64_t rows) {
  return static_cast<std::size_t>(
      std::lower_bound(sizes.begin(), sizes.end(), rows,
                       [](const SizeCost& size, std::int64_t wanted) { return size.rows < wanted; }) -
      sizes.begin());
}

BatchPlan plan_batch(std::span<const std::int64_t> queue, std::span<const SizeCost> sizes, bool may_wait) {
  BatchPlan best;
  double least = 0;
  std::int64_t rows = 0;
  for (std::size_t taken = 0; taken < queue.size(); ++taken) {
    rows += queue[taken];
    const auto size = smallest_holding(sizes, rows);
    if (size == sizes.size()) break;
    const double cost = per_row(sizes[size].seconds, rows);
    if (best.requests > 0 && cost > least) continue;
    best = {.requests = taken + 1, .size = size};
    least = cost;
  }
  if (!may_wait || rows >= sizes.back().rows) return best;
  const bool waiting_pays = std::any_of(sizes.begin(), sizes.end(), [&](const SizeCost& size) {
    return size.rows > rows && per_row(size.seconds, size.rows) < least;
  });
  return waiting_pays ? BatchPlan{} : best;
}

}  // namespace neph::serve
