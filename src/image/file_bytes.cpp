#include "image/file_bytes.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace neph::image {
namespace {

tl::unexpected<Error> read_error(const std::filesystem::path& path) {
  return tl::unexpected(system_error(fmt::format("cannot read {}", path.string()), errno));
}

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return read_error(path);
  InputFile file(fd, 0, path);
  struct stat info {};
  if (::fstat(fd, &info) != 0) return read_error(path);
  if (!S_ISREG(info.st_mode))
    return fail(ErrorCode::invalid_argument, "cannot read {}: not a regular file", path.string());
  file.bytes_ = info.st_size;
  return file;
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}
InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), bytes_(other.bytes_), path_(other.path_) {}

Result<std::size_t> InputFile::read_at(std::int64_t offset, std::span<std::byte> into) const {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const auto got =
        ::pread(fd_, into.data() + filled, into.size() - filled, offset + static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return read_error(*path_);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

Result<std::span<const std::byte>> read_into(const std::filesystem::path& path,
                                             std::vector<std::byte>& buffer) {
  NEPH_TRY(const InputFile file, InputFile::open(path));
  const auto size = static_cast<std::size_t>(file.bytes());
  if (buffer.size() < size) buffer.resize(size);
  NEPH_TRY(const std::size_t got, file.read_at(0, std::span(buffer).first(size)));
  return std::span<const std::byte>(buffer).first(got);
}

}  // namespace neph::image
