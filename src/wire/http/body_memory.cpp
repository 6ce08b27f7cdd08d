#include "wire/http/body_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neph::wire {
namespace {

/// What a connection may keep although it does not need it now.
constexpr std::size_t kept_bytes = std::size_t{4} << 20;

}  // namespace

bool BodyMemory::reserve(std::size_t bytes, std::size_t aligned_at) {
  const std::size_t shift = (tensor_alignment - aligned_at % tensor_alignment) % tensor_alignment;
  const std::size_t wanted = bytes + shift;
  const bool wasteful = capacity_ > kept_bytes && wanted < capacity_ / 8;
  if (wanted > capacity_ || wasteful) {
    memory_.reset();
    capacity_ = 0;
    size_ = 0;
    memory_ = allocate_floats((wanted + sizeof(float) - 1) / sizeof(float));
    if (!memory_) return false;
    capacity_ = wanted;
  }
  begin_ = reinterpret_cast<std::byte*>(memory_.get()) + shift;
  size_ = bytes;
  return true;
}

bool BodyMemory::extend(std::size_t bytes) {
  if (bytes <= size_) return true;
  const auto room =
      memory_ ? capacity_ - static_cast<std::size_t>(begin_ - reinterpret_cast<std::byte*>(memory_.get()))
              : 0;
  if (bytes > room) {
    BodyMemory larger;
    if (!larger.reserve(std::max(bytes, 2 * size_))) return false;
    std::copy_n(begin_, size_, larger.begin_);
    swap(larger);
  }
  size_ = bytes;
  return true;
}

void BodyMemory::release() {
  BodyMemory empty;
  swap(empty);
}

void BodyMemory::swap(BodyMemory& other) {
  std::swap(memory_, other.memory_);
  std::swap(capacity_, other.capacity_);
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
}

}  // namespace neph::wire
