#include "image/page_cache.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/file_bytes.hpp"

namespace neph::image {
namespace {

tl::unexpected<Error> error_of(const char* action, const std::filesystem::path& path, int number) {
  return tl::unexpected(system_error(fmt::format("cannot {} {}", action, path.string()), number));
}

}  // namespace

Status drop_from_cache(const std::filesystem::path& path) {
  NEPH_TRY(const InputFile file, InputFile::open(path));
  // Some file systems refuse to sync what was opened for reading; then there is nothing of ours to write
  // either.
  if (::fdatasync(file.descriptor()) != 0 && errno != EBADF && errno != EINVAL && errno != EROFS)
    return error_of("sync", path, errno);
  if (const int number = ::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED); number != 0)
    return error_of("drop from the page cache", path, number);
  return {};
}

Status load_into_cache(const std::filesystem::path& path) {
  NEPH_TRY(const InputFile file, InputFile::open(path));
  std::vector<std::byte> buffer(std::size_t{1} << 18);
  for (std::int64_t offset = 0;;) {
    NEPH_TRY(const std::size_t got, file.read_at(offset, buffer));
    if (got == 0) return {};
    offset += static_cast<std::int64_t>(got);
  }
}

Result<double> cached_fraction(const std::filesystem::path& path) {
  NEPH_TRY(const InputFile file, InputFile::open(path));
  if (file.bytes() == 0) return 1.0;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto bytes = static_cast<std::size_t>(file.bytes());
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (mapped == MAP_FAILED) return error_of("map", path, errno);
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const int status = ::mincore(mapped, bytes, pages.data());
  const int number = errno;
  ::munmap(mapped, bytes);
  if (status != 0) return error_of("ask for the cached pages of", path, number);
  const auto present =
      std::count_if(pages.begin(), pages.end(), [](unsigned char state) { return state & 1; });
  return static_cast<double>(present) / static_cast<double>(pages.size());
}

}  // namespace neph::image
