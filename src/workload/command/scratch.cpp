#include "workload/command/scratch.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>

#include "os/file.hpp"

// sitecustomize.py, put into the program by cmake/Embed.cmake
extern "C" const char neph_command_hooks[], neph_command_hooks_end[];

namespace neph::workload::command {
namespace {

constexpr const char* events_name = "events";
constexpr int pipe_bytes = 1 << 20;

}  // namespace

Result<Scratch> Scratch::make(bool with_hooks) {
  NEPH_TRY(auto folder, TemporaryFolder::make());
  Scratch scratch(std::move(folder), with_hooks);
  if (with_hooks)
    NEPH_CHECK(write_file(scratch.folder_.path() / "sitecustomize.py",
                          {neph_command_hooks, neph_command_hooks_end}));
  const auto path = scratch.folder_.path() / events_name;
  if (::mkfifo(path.c_str(), 0600) != 0)
    return tl::unexpected(system_error("cannot make the pipe " + path.string(), errno));
  scratch.pipe = Descriptor(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!scratch.pipe.is_open()) return tl::unexpected(system_error("cannot open " + path.string(), errno));
  ::fcntl(scratch.pipe.get(), F_SETPIPE_SZ, pipe_bytes);  // where that is refused, a smaller one works too
  return scratch;
}

std::vector<std::pair<std::string, std::string>> Scratch::variables() const {
  std::vector<std::pair<std::string, std::string>> all{{"NEPH_EVENTS", folder_.path() / events_name}};
  if (!with_hooks_) return all;
  const char* const before = std::getenv("PYTHONPATH");
  all.emplace_back("PYTHONPATH", folder_.path().string() + (before != nullptr && *before != 0 ? ":" : "") +
                                     (before != nullptr ? before : ""));
  return all;
}

}  // namespace neph::workload::command
