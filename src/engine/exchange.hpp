// Data parallel training: ranks that each learn from a part of every step's examples, and exchange their
// gradients between the backward pass and the update.
//
// What it does not do: start the ranks, divide the examples, say when a step is made.
// Threads: an Exchange is used from one thread at a time. All ranks make the same calls in the same order,
// and each call waits for the others. Ownership: it outlives the trainers that it is given to. Errors of all
// calls: unavailable (another rank is gone or does not come; which, as far as is known), internal (ranks that
// exchange different numbers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/result.hpp"

namespace neph::engine {

class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t ranks() const = 0;
  /// Where this rank writes its `count` numbers before mean(). It is valid until this is called again, and
  /// keeps what was written where it is called with the same count.
  virtual Result<std::span<float>> room(std::int64_t count) = 0;
  /// The mean over the ranks of what they wrote into their rooms, each weighted; the weights must not all be
  /// 0. The same bits for every rank. Valid until the next call of any function.
  virtual Result<std::span<const float>> mean(double weight) = 0;
  /// Gives all ranks the bytes that rank 0 has here.
  virtual Status from_rank_0(std::span<std::byte> bytes) = 0;
};

}  // namespace neph::engine
