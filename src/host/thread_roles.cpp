#include "host/thread_roles.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "os/thread.hpp"

namespace neph::host {
namespace {

// A thread is born with its maker's name and takes its own a moment later, so a young one's is read each
// time.
constexpr int young_readings = 10;
constexpr int name_every = 10;

const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));

// A kernel without CONFIG_SCHED_INFO has the file, full of zeros.
bool has_schedstat(const std::filesystem::path& process) {
  CounterFile file(process / "schedstat", 128);
  const auto text = file.read();
  return text && Scanner(*text).number().value_or(0) > 0;
}

// Threads are named by those who start them, which know nothing of telemetry.
static_assert(target::loader == loader_role && target::engine == engine_role);

}  // namespace

Role role_of(std::string_view thread_name) {
  const auto part = thread_name.substr(0, thread_name.find('-'));
  if (part == loader_role) return Role::loader;
  if (part == engine_role) return Role::engine;
  return Role::rest;
}

void ThreadRoles::update(const ProcessTree::Member* root, std::uint64_t walks) {
  if (root != nullptr && walks != walks_seen_) {
    if (!started_) in_ticks_ = !has_schedstat(root->folder);
    find_threads(*root);
    walks_seen_ = walks;
  }
  for (auto& times : times_) times.threads = 0;
  std::erase_if(threads_, [this](Thread& thread) { return !read(thread); });
  started_ = true;
}

void ThreadRoles::find_threads(const ProcessTree::Member& root) {
  for (const int tid : root.tids) {
    const auto known = [tid](const Thread& thread) { return thread.tid == tid; };
    if (std::any_of(threads_.begin(), threads_.end(), known)) continue;
    const auto folder = root.folder / "task" / fmt::format("{}", tid);
    threads_.push_back(
        {.tid = tid,
         .clock = CounterFile(folder / (in_ticks_ ? "stat" : "schedstat"), in_ticks_ ? 512 : 64),
         .name_file = folder / "comm"});
  }
}

bool ThreadRoles::read(Thread& thread) {
  const auto text = thread.clock.read();
  if (!text) return false;
  double run_s = 0;
  double wait_s = 0;
  if (in_ticks_) {
    const auto counts = parse_process_stat(*text);
    if (!counts) return false;
    run_s = (counts->user_ticks + counts->system_ticks) * tick_s;
  } else {
    Scanner scanner(*text);  // nanoseconds on a processor, nanoseconds ready, number of turns
    const auto run_ns = scanner.number();
    const auto wait_ns = scanner.number();
    if (!run_ns || !wait_ns) return false;
    run_s = static_cast<double>(*run_ns) * 1e-9;
    wait_s = static_cast<double>(*wait_ns) * 1e-9;
  }
  if (thread.readings < young_readings || thread.readings % name_every == 0) read_role(thread);
  ++thread.readings;
  auto& times = times_[static_cast<std::size_t>(thread.role)];
  ++times.threads;
  if (started_) {
    times.run_s += std::max(0.0, run_s - thread.run_s);
    times.wait_s += std::max(0.0, wait_s - thread.wait_s);
  }
  thread.run_s = run_s;
  thread.wait_s = wait_s;
  return true;
}

void ThreadRoles::read_role(Thread& thread) {
  CounterFile file(thread.name_file, 32);
  const auto name = file.read();
  if (name) thread.role = role_of(name->substr(0, name->find('\n')));
}

}  // namespace neph::host
