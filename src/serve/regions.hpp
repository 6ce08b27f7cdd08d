// System shared memory that clients of this machine have registered (the protocol's
// system_shared_memory extension). Only for files of this room.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

/// A mapped piece of shared memory; unmapped when its last user lets go.
class Region {
 public:
  /// Errors: not_found (no such key), invalid_argument (beyond its end), unavailable (permission, memory).
  static Result<std::shared_ptr<const Region>> map(const wire::SharedRegion& about);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  const wire::SharedRegion& about() const { return about_; }
  /// Errors: invalid_argument when the part is not inside.
  Result<std::span<std::byte>> part(const wire::SharedPart& part) const;

 private:
  Region(wire::SharedRegion about, void* mapped, std::size_t mapped_bytes, std::byte* begin);
  wire::SharedRegion about_;
  void* mapped_;
  std::size_t mapped_bytes_;
  std::byte* begin_;
};

/// Threads: any.
class Regions {
 public:
  explicit Regions(bool allowed) : allowed_(allowed) {}

  /// Errors: unsupported where they are not allowed, not_found.
  Result<std::shared_ptr<const Region>> find(const std::string& name) const;
  Result<std::vector<wire::SharedRegion>> list(const std::string& name) const;
  Status add(const wire::SharedRegion& about);
  Status remove(const std::string& name);

 private:
  Status check_allowed() const;

  const bool allowed_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Region>> regions_;
};

}  // namespace neph::serve
