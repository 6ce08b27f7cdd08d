#include "os/orphans.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/clock.hpp"

namespace neph {
namespace {

constexpr auto asking_interval = std::chrono::milliseconds(10);
constexpr double longest_kill_s = 1;

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "name state" of proc(5), /proc/<pid>/stat: a zombie has ended.
bool lives(int pid) {
  const auto stat = first_line(fmt::format("/proc/{}/stat", pid));
  const auto end = stat.rfind(')');
  return end != stat.npos && end + 2 < stat.size() && stat[end + 2] != 'Z' && stat[end + 2] != 'X';
}

void signal_children(std::span<const int> but, int signal) {
  for (const auto& child : children(but)) {
    ::kill(child.pid, signal);
    if (::getpgid(child.pid) == child.pid) ::kill(-child.pid, signal);
  }
}

/// Takes the ends of children that have ended; whose parents end become ours meanwhile.
void reap(std::span<const int> but) {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    if (std::ranges::find(but, info.si_pid) != but.end()) return;  // its end is for others to take
    ::waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

bool end_by(std::span<const int> but, int signal, double limit_s) {
  const SteadyClock clock;
  const auto limit = clock.now() + from_seconds(limit_s);
  for (bool is_first = true; !children(but).empty(); is_first = false) {
    if (is_first || signal == SIGKILL) signal_children(but, signal);
    reap(but);
    if (clock.now() >= limit) return false;
    clock.sleep_until(clock.now() + asking_interval);
  }
  reap(but);
  return true;
}

}  // namespace

std::vector<Orphan> children(std::span<const int> but) {
  std::vector<Orphan> all;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    std::ifstream list(task->path() / "children");
    for (int pid = 0; list >> pid;)
      if (std::ranges::find(but, pid) == but.end() && lives(pid))
        all.push_back({pid, first_line(fmt::format("/proc/{}/comm", pid))});
  }
  return all;
}

void end_children(std::span<const int> but, double grace_s) {
  if (!end_by(but, SIGTERM, grace_s)) end_by(but, SIGKILL, longest_kill_s);
}

Adoption::Adoption() {
  for (const auto& child : children({})) earlier_.push_back(child.pid);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Adoption::~Adoption() {
  end_all();
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace neph
