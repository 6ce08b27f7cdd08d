#include "host/process_start.hpp"

#include <ctime>

#include <fmt/format.h>
#include <unistd.h>

#include "host/process_tree.hpp"
#include "os/file.hpp"

namespace neph::host {
namespace {

Nanoseconds reading(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

}  // namespace

Result<Moment> process_start(int pid, const std::filesystem::path& root) {
  const auto since_boot = reading(CLOCK_BOOTTIME);
  return process_start(pid, root, since_boot - reading(CLOCK_MONOTONIC));
}

Result<Moment> process_start(int pid, const std::filesystem::path& root, Nanoseconds slept) {
  const auto file = root / "proc" / (pid == 0 ? "self" : fmt::format("{}", pid)) / "stat";
  NEPH_TRY(const auto text, read_file(file));
  const auto counts = parse_process_stat(text);
  if (!counts) return fail(ErrorCode::corrupt, "{}: not a line as proc(5) describes it", file.string());
  const auto start = from_seconds(counts->start_ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)));
  return Moment(start - slept);
}

}  // namespace neph::host
