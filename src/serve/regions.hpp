// System shared memory that clients of this machine have registered (the protocol's
// system_shared_memory extension). Only for files of this module.
//
// It is read and written by the kernel (pread, pwrite) and not mapped. A client may cut its object short or
// change it at any time: mapped, that is a SIGBUS for the whole server, and lengths that no longer are what
// was checked. So it costs the client an error of its own request, and everybody one copy (0.1 ms for a
// picture of 602 KB; memcpy from mapped memory takes a third of it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "os/descriptors.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

/// A piece of shared memory; closed when its last user lets go. Threads: any.
class Region {
 public:
  /// Errors: not_found (no such key), invalid_argument (beyond its end), unavailable (permission).
  static Result<std::shared_ptr<const Region>> open(const wire::SharedRegion& about);

  const wire::SharedRegion& about() const { return about_; }
  /// Errors: invalid_argument when the part is not inside.
  Status check(const wire::SharedPart& part) const;
  /// From `offset` of the region on, to fill `to`. Errors: invalid_argument (it has become shorter).
  Status read(std::uint64_t offset, std::span<std::byte> to) const;
  /// Errors: as read.
  Status write(std::uint64_t offset, std::span<const std::byte> from) const;

 private:
  Region(wire::SharedRegion about, Descriptor descriptor)
      : about_(std::move(about)), descriptor_(std::move(descriptor)) {}
  Status check_size() const;
  tl::unexpected<Error> has_shrunk() const;

  const wire::SharedRegion about_;
  const Descriptor descriptor_;
};

/// Threads: any.
class Regions {
 public:
  /// Tensors of more than `most_bytes` a request are not read from them, as they are not from a request.
  Regions(bool allowed, std::uint64_t most_bytes) : allowed_(allowed), most_bytes_(most_bytes) {}

  /// Errors: unsupported where they are not allowed, not_found.
  Result<std::shared_ptr<const Region>> find(const std::string& name) const;
  /// The region that holds the part. `taken`: of the request, by what came before. Errors: as find;
  /// invalid_argument when it is not inside.
  Result<std::shared_ptr<const Region>> find(const wire::SharedPart& part, std::uint64_t taken = 0) const;
  Result<std::vector<wire::SharedRegion>> list(const std::string& name) const;
  Status add(const wire::SharedRegion& about);
  Status remove(const std::string& name);

 private:
  Status check_allowed() const;

  const bool allowed_;
  const std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Region>> regions_;
};

}  // namespace neph::serve
