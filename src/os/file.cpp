#include "os/file.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/descriptors.hpp"

namespace neph {
namespace {

constexpr std::size_t most_of_a_device = std::size_t{1} << 30;  // /dev/zero has no end
constexpr off_t most_of_a_regular_file = (off_t{1} << 31) - 1;  // as protobuf has it

Status write_all(int fd, std::string_view content, const std::string& name) {
  while (!content.empty()) {
    const auto written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return tl::unexpected(system_error(fmt::format("cannot write {}", name), errno));
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// `flags` of open().
Result<std::string> read_opened(const std::filesystem::path& path, int flags, bool only_regular) {
  const auto what = fmt::format("cannot read {}", path.string());
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (!file.is_open()) return tl::unexpected(system_error(what, errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return tl::unexpected(system_error(what, errno));
  if (only_regular && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return fail(ErrorCode::invalid_argument, "{}: a pipe or a device, where a file should be", what);
  if (only_regular && info.st_size > most_of_a_regular_file)
    return fail(ErrorCode::invalid_argument, "{}: more than 2 GiB", what);
  std::string content;
  content.resize(S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0);
  std::size_t filled = 0;
  for (;;) {
    if (filled == content.size()) content.resize(content.size() + 65536);  // /proc says 0; a file may grow
    const auto got = ::read(file.get(), content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(system_error(what, errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (!S_ISREG(info.st_mode) && filled > most_of_a_device)
      return fail(ErrorCode::invalid_argument, "{}: more than 1 GiB of a pipe or device", what);
    if (only_regular && filled > static_cast<std::size_t>(most_of_a_regular_file))
      return fail(ErrorCode::invalid_argument, "{}: more than 2 GiB", what);
  }
  content.resize(filled);
  return content;
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) { return read_opened(path, 0, false); }

Result<std::string> read_regular_file(const std::filesystem::path& path) {
  return read_opened(path, O_NONBLOCK, true);
}

std::filesystem::path part_path(const std::filesystem::path& path) {
  struct stat info {};
  const bool is_device = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  return is_device ? path : std::filesystem::path(fmt::format("{}.part{}", path.string(), ::getpid()));
}

Status write_file(const std::filesystem::path& path, std::string_view content) {
  const auto part = part_path(path);
  const auto what = fmt::format("cannot write {}", path.string());
  Descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) return tl::unexpected(system_error(what, errno));
  Status status = write_all(file.get(), content, path.string());
  if (status && ::close(file.release()) != 0) status = tl::unexpected(system_error(what, errno));
  if (part == path) return status;
  if (status && ::rename(part.c_str(), path.c_str()) != 0) status = tl::unexpected(system_error(what, errno));
  if (!status) ::unlink(part.c_str());
  return status;
}

std::filesystem::path cache_folder() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder && *folder)
    return std::filesystem::path(folder) / "neph";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".cache" / "neph";
  return fmt::format("/tmp/neph-{}", ::getuid());
}

Status make_cache_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) return {};
  auto error = system_error(fmt::format("cannot make {}", folder.string()), failed.value());
  error.hint = "set XDG_CACHE_HOME to a folder that can be written";
  return tl::unexpected(std::move(error));
}

}  // namespace neph
