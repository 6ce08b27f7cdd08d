// A folder of a process's own, in $TMPDIR or /tmp.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <unistd.h>

#include "core/result.hpp"

namespace neph {

/// Removed with all in it at its end; its name begins with "neph-<process id>-", by which Process::exit()
/// removes it after a process that was killed.
class TemporaryFolder {
 public:
  /// Errors: those of making it, with what to do.
  static Result<TemporaryFolder> make() {
    const char* const set = std::getenv("TMPDIR");
    const std::string where = set != nullptr && *set != 0 ? set : "/tmp";
    auto name = fmt::format("{}/neph-{}-XXXXXX", where, ::getpid());
    if (::mkdtemp(name.data()) != nullptr) return TemporaryFolder(name);
    auto error = system_error("cannot make a folder in " + where, errno);
    error.add_hint("TMPDIR says where");
    return tl::unexpected(std::move(error));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace neph
