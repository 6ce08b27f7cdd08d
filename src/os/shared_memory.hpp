// Memory that several processes read and write: a file without a name, which goes with the last of them.
//
// Threads: any. Ownership: a Mapping stays valid without the SharedMemory that it is of.
// Cost: pages are taken when they are first written.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "core/result.hpp"
#include "os/process.hpp"

namespace neph {

/// A part of it in this process's address space.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  void* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

class SharedMemory {
 public:
  /// New, of no bytes. `name` is what /proc shows. Errors: unavailable.
  static Result<SharedMemory> make(const std::string& name);
  /// That of another process, by the path() that it told. Errors: unavailable (the process is gone).
  static Result<SharedMemory> open(const std::string& path);

  /// Where other processes of this user find it, as long as this one lives.
  std::string path() const;
  /// Makes it so large; new bytes are 0. Errors: unavailable.
  Status grow(std::size_t bytes);
  /// `offset`: a multiple of the page size. Reading beyond what grow() made kills the process (SIGBUS).
  Result<Mapping> map(std::size_t offset, std::size_t bytes) const;

 private:
  explicit SharedMemory(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace neph
