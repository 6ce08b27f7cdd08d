// Memory for the batches that are being filled, waiting or in the engine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/result.hpp"

namespace neph::workload {

/// `slots` batches of `values` floats each, aligned to 64 bytes so that engines take them without a copy, and
/// touched, so that no page is faulted in during the measurement.
class BatchMemory {
 public:
  BatchMemory() = default;
  /// Errors: unavailable when it is more than the machine has, with both figures.
  static Result<BatchMemory> allocate(std::int64_t slots, std::size_t values);

  std::vector<std::span<float>> slots() const;

 private:
  AlignedFloats memory_;
  std::int64_t slots_ = 0;
  std::size_t values_ = 0;
  std::size_t stride_ = 0;  ///< floats from one slot to the next
};

}  // namespace neph::workload
