#include "wire/http/body_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <sys/mman.h>

#include "core/aligned.hpp"

namespace neph::wire {
namespace {

/// What a connection may keep although it does not need it now.
constexpr std::size_t kept_bytes = std::size_t{4} << 20;
/// Unused memory that is cheaper kept than had anew, where messages differ in size.
constexpr std::size_t max_unused_bytes = std::size_t{16} << 20;
/// What grows beyond this grows by whole pages that are moved, not copied.
constexpr std::size_t max_copied_bytes = std::size_t{1} << 20;

}  // namespace

void FreeBody::operator()(std::byte* memory) const {
  mapped_bytes > 0 ? static_cast<void>(::munmap(memory, mapped_bytes)) : std::free(memory);
}

bool BodyMemory::reserve(std::size_t bytes, std::size_t aligned_at) {
  const std::size_t shift = (tensor_alignment - aligned_at % tensor_alignment) % tensor_alignment;
  const std::size_t wanted = bytes + shift;
  const bool wasteful = capacity_ > kept_bytes && wanted < capacity_ / 8;
  if (wanted > capacity_ || wasteful || capacity_ > wanted + max_unused_bytes) {
    release();
    auto memory = allocate_floats((wanted + sizeof(float) - 1) / sizeof(float));
    if (!memory) return false;
    memory_.reset(reinterpret_cast<std::byte*>(memory.release()));
    capacity_ = wanted;
  }
  begin_ = memory_.get() + shift;
  size_ = bytes;
  return true;
}

bool BodyMemory::extend(std::size_t bytes) {
  if (bytes <= size_) return true;
  if (size_ == 0 && memory_.get_deleter().mapped_bytes == 0) trim();  // else it would be there twice
  if (bytes + shift() > capacity_) {
    const auto wanted = std::max(bytes, 2 * size_);
    BodyMemory larger;
    if (wanted > max_copied_bytes ? !map(wanted) : !larger.reserve(wanted)) return false;
    if (larger.begin_ != nullptr) {
      std::copy_n(begin_, size_, larger.begin_);
      swap(larger);
    }
  }
  size_ = bytes;
  return true;
}

/// Takes pages for `bytes`, with what it held.
bool BodyMemory::map(std::size_t bytes) {
  const auto mapped = memory_.get_deleter().mapped_bytes;
  const auto before = mapped > 0 ? shift() : 0, whole = before + bytes;
  void* const pages = mapped > 0 ? ::mremap(memory_.get(), mapped, whole, MREMAP_MAYMOVE)
                                 : ::mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return false;
  auto* const memory = static_cast<std::byte*>(pages);
  if (mapped > 0)
    static_cast<void>(memory_.release());
  else
    std::copy_n(begin_, size_, memory);
  memory_ = {memory, FreeBody{whole}};
  begin_ = memory + before;
  capacity_ = whole;
  return true;
}

void BodyMemory::release() {
  BodyMemory empty;
  swap(empty);
}

void BodyMemory::trim() {
  if (capacity_ > kept_bytes) release();
}

void BodyMemory::swap(BodyMemory& other) {
  std::swap(memory_, other.memory_);
  std::swap(capacity_, other.capacity_);
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
}

}  // namespace neph::wire
