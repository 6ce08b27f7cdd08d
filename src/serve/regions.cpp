#include "serve/regions.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace neph::serve {
namespace {

std::string quoted(const wire::SharedRegion& about) {
  return fmt::format("shared memory '{}' (key '{}')", about.name, about.key);
}

/// The open object must reach to the region's end: memory behind it is a SIGBUS when it is touched.
Status check_size(int descriptor, const wire::SharedRegion& about) {
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) return tl::unexpected(system_error(quoted(about), errno));
  const auto there = static_cast<std::uint64_t>(found.st_size);
  if (about.byte_size == 0 || about.offset > there || about.byte_size > there - about.offset)
    return fail(ErrorCode::invalid_argument, "{}: {} bytes from {} on, of an object of {}", quoted(about),
                about.byte_size, about.offset, there);
  return {};
}

}  // namespace

Region::Region(wire::SharedRegion about, void* mapped, std::size_t mapped_bytes, std::byte* begin)
    : about_(std::move(about)), mapped_(mapped), mapped_bytes_(mapped_bytes), begin_(begin) {}

Region::~Region() { ::munmap(mapped_, mapped_bytes_); }

Result<std::shared_ptr<const Region>> Region::map(const wire::SharedRegion& about) {
  const int descriptor = ::shm_open(about.key.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (descriptor < 0) return tl::unexpected(system_error(quoted(about), errno));
  if (const auto status = check_size(descriptor, about); !status) {
    ::close(descriptor);
    return tl::unexpected(status.error());
  }
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto skipped = about.offset % page;
  const auto bytes = static_cast<std::size_t>(about.byte_size + skipped);
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                        static_cast<off_t>(about.offset - skipped));
  const int error = errno;
  ::close(descriptor);
  if (mapped == MAP_FAILED) return tl::unexpected(system_error(quoted(about), error));
  return std::shared_ptr<const Region>(
      new Region(about, mapped, bytes, static_cast<std::byte*>(mapped) + skipped));
}

Result<std::span<std::byte>> Region::part(const wire::SharedPart& part) const {
  if (part.offset > about_.byte_size || part.bytes > about_.byte_size - part.offset)
    return fail(ErrorCode::invalid_argument, "{} bytes from {} on are not inside {}, which has {}",
                part.bytes, part.offset, quoted(about_), about_.byte_size);
  return std::span(begin_ + part.offset, static_cast<std::size_t>(part.bytes));
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
  NEPH_TRY(auto region, Region::map(about));
  const std::scoped_lock lock(mutex_);
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
