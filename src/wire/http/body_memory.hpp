// The memory of one message body, used again for the next: it grows and is not given back, unless it was used
// for something much larger than what came since.
#pragma once

#include <cstddef>
#include <span>

#include "core/aligned.hpp"

namespace neph::wire {

class BodyMemory {
 public:
  /// Room for `bytes`, of which byte `aligned_at` is aligned to a cache line: where the tensors begin,
  /// engines can use them in place. What it held is lost. False when the memory cannot be had.
  bool reserve(std::size_t bytes, std::size_t aligned_at = 0);
  /// Grows to `bytes` and keeps what it held.
  bool extend(std::size_t bytes);
  std::span<std::byte> bytes() { return {begin_, size_}; }
  std::size_t size() const { return size_; }
  /// Forgets what lies behind `bytes`.
  void truncate(std::size_t bytes) { size_ = bytes < size_ ? bytes : size_; }
  void clear() { size_ = 0; }
  /// Gives its memory back.
  void release();
  void swap(BodyMemory& other);

 private:
  AlignedFloats memory_;
  std::size_t capacity_ = 0;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace neph::wire
