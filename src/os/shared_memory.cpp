#include "os/shared_memory.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace neph {
namespace {

tl::unexpected<Error> no_memory(std::string_view what) {
  return fail(ErrorCode::unavailable, "{}", system_error(what, errno).message);
}

}  // namespace

Mapping::~Mapping() {
  if (begin_ != nullptr) ::munmap(begin_, bytes_);
}

Result<SharedMemory> SharedMemory::make(const std::string& name) {
  Descriptor file(::memfd_create(name.c_str(), MFD_CLOEXEC));
  if (!file.is_open()) return no_memory("cannot make shared memory");
  return SharedMemory(std::move(file));
}

Result<SharedMemory> SharedMemory::open(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) return no_memory(fmt::format("cannot open the shared memory {}", path));
  return SharedMemory(std::move(file));
}

std::string SharedMemory::path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), file_.get()); }

Status SharedMemory::grow(std::size_t bytes) {
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
    return no_memory(fmt::format("cannot have {} bytes of shared memory", bytes));
  return {};
}

Result<Mapping> SharedMemory::map(std::size_t offset, std::size_t bytes) const {
  void* const begin =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), static_cast<off_t>(offset));
  if (begin == MAP_FAILED) return no_memory(fmt::format("cannot map {} bytes of shared memory", bytes));
  return Mapping(begin, bytes);
}

}  // namespace neph
