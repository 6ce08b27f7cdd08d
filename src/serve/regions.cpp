#include "serve/regions.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace neph::serve {
namespace {

constexpr std::size_t most_regions = 1024;

std::string quoted(const wire::SharedRegion& about) {
  return fmt::format("shared memory '{}' (key '{}')", about.name, about.key);
}

/// Calls `move` (pread, pwrite) until `left` is empty. Errors: of errno. False: the object ended before.
template <class Bytes, class Move>
Result<bool> move_all(Bytes left, std::uint64_t at, Move move) {
  while (!left.empty()) {
    const auto moved = move(left, static_cast<off_t>(at));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return tl::unexpected(system_error("shared memory", errno));
    if (moved == 0) return false;
    left = left.subspan(static_cast<std::size_t>(moved));
    at += static_cast<std::uint64_t>(moved);
  }
  return true;
}

}  // namespace

Result<std::shared_ptr<const Region>> Region::open(const wire::SharedRegion& about) {
  Descriptor descriptor(::shm_open(about.key.c_str(), O_RDWR | O_CLOEXEC, 0));
  if (!descriptor.is_open()) return tl::unexpected(system_error(quoted(about), errno));
  std::shared_ptr<const Region> region(new Region(about, std::move(descriptor)));
  NEPH_CHECK(region->check_size());
  return region;
}

Status Region::check_size() const {
  struct stat found {};
  if (::fstat(descriptor_.get(), &found) != 0) return tl::unexpected(system_error(quoted(about_), errno));
  const auto there = static_cast<std::uint64_t>(found.st_size);
  if (about_.byte_size == 0 || about_.offset > there || about_.byte_size > there - about_.offset)
    return fail(ErrorCode::invalid_argument, "{}: {} bytes from {} on, of an object of {}", quoted(about_),
                about_.byte_size, about_.offset, there);
  return {};
}

Status Region::check(const wire::SharedPart& part) const {
  if (part.offset <= about_.byte_size && part.bytes <= about_.byte_size - part.offset) return {};
  return fail(ErrorCode::invalid_argument, "{} bytes from {} on are not inside {}, which has {}", part.bytes,
              part.offset, quoted(about_), about_.byte_size);
}

tl::unexpected<Error> Region::has_shrunk() const {
  return fail(ErrorCode::invalid_argument, "{} no longer has the {} bytes that were registered",
              quoted(about_), about_.byte_size);
}

Status Region::read(std::uint64_t offset, std::span<std::byte> to) const {
  NEPH_TRY(const bool whole, move_all(to, about_.offset + offset, [&](auto left, off_t at) {
             return ::pread(descriptor_.get(), left.data(), left.size(), at);
           }));
  if (!whole) return has_shrunk();
  return {};
}

/// Looks at the size first: pwrite would make an object longer that its owner has made shorter.
Status Region::write(std::uint64_t offset, std::span<const std::byte> from) const {
  if (!check_size()) return has_shrunk();
  NEPH_CHECK(move_all(from, about_.offset + offset, [&](auto left, off_t at) {
    return ::pwrite(descriptor_.get(), left.data(), left.size(), at);
  }));
  return {};
}

Status Regions::check_allowed() const {
  if (allowed_) return {};
  return fail(ErrorCode::unsupported,
              "this server does not take shared memory; start it with --shared-memory on");
}

Result<std::shared_ptr<const Region>> Regions::find(const std::string& name) const {
  NEPH_CHECK(check_allowed());
  const std::scoped_lock lock(mutex_);
  const auto found = regions_.find(name);
  if (found != regions_.end()) return found->second;
  return fail(ErrorCode::not_found, "shared memory '{}' is not registered", name);
}

Result<std::shared_ptr<const Region>> Regions::find(const wire::SharedPart& part, std::uint64_t taken) const {
  NEPH_TRY(auto region, find(part.region));
  NEPH_CHECK(region->check(part));
  if (part.bytes > most_bytes_ - std::min(taken, most_bytes_))
    return fail(ErrorCode::invalid_argument,
                "{} bytes in shared memory '{}'; this server takes up to {} a request", part.bytes,
                part.region, most_bytes_);
  return region;
}

Result<std::vector<wire::SharedRegion>> Regions::list(const std::string& name) const {
  if (!name.empty()) {
    NEPH_TRY(const auto region, find(name));
    return std::vector{region->about()};
  }
  NEPH_CHECK(check_allowed());
  const std::scoped_lock lock(mutex_);
  std::vector<wire::SharedRegion> all;
  for (const auto& [key, region] : regions_) all.push_back(region->about());
  return all;
}

Status Regions::add(const wire::SharedRegion& about) {
  NEPH_CHECK(check_allowed());
  NEPH_TRY(auto region, Region::open(about));
  const std::scoped_lock lock(mutex_);
  if (regions_.size() >= most_regions)  // each holds a descriptor
    return fail(ErrorCode::unavailable, "{} regions of shared memory are registered; unregister some",
                most_regions);
  if (!regions_.emplace(about.name, std::move(region)).second)
    return fail(ErrorCode::invalid_argument, "shared memory '{}' is registered already; unregister it first",
                about.name);
  return {};
}

Status Regions::remove(const std::string& name) {
  NEPH_CHECK(check_allowed());
  const std::scoped_lock lock(mutex_);
  if (name.empty()) {
    regions_.clear();
  } else {
    regions_.erase(name);  // of what was never there too: clients clean up before they begin
  }
  return {};
}

}  // namespace neph::serve
