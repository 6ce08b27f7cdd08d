// The memory of one message body, used again for the next: it grows and is not given back, unless it was used
// for something much larger than what came since.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace neph::wire {

/// To malloc, or as pages that were mapped.
struct FreeBody {
  std::size_t mapped_bytes = 0;  ///< 0: from malloc
  void operator()(std::byte* memory) const;
};

class BodyMemory {
 public:
  /// Room for `bytes`, of which byte `aligned_at` is aligned to a cache line: where the tensors begin,
  /// engines can use them in place. What it held is lost. False when the memory cannot be had.
  bool reserve(std::size_t bytes, std::size_t aligned_at = 0);
  /// Grows to `bytes` and keeps what it held, without taking memory twice meanwhile.
  bool extend(std::size_t bytes);
  std::span<std::byte> bytes() { return {begin_, size_}; }
  std::size_t size() const { return size_; }
  /// Forgets what lies behind `bytes`.
  void truncate(std::size_t bytes) { size_ = bytes < size_ ? bytes : size_; }
  void clear() { size_ = 0; }
  /// Gives its memory back.
  void release();
  /// The same, if it is more than a connection may keep without need.
  void trim();
  void swap(BodyMemory& other);

 private:
  std::size_t shift() const { return static_cast<std::size_t>(begin_ - memory_.get()); }
  bool map(std::size_t bytes);

  std::unique_ptr<std::byte, FreeBody> memory_;
  std::size_t capacity_ = 0;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace neph::wire
