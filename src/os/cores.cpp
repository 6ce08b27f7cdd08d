#include "os/cores.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include <sched.h>

#include "os/cgroup.hpp"

namespace neph {
namespace {

constexpr std::size_t most_cores = 8192;  // cpu_set_t has 1024
using Mask = cpu_set_t[most_cores / CPU_SETSIZE];

}  // namespace

std::vector<std::size_t> allowed_cores() {
  Mask mask{};
  std::vector<std::size_t> cores;
  if (::sched_getaffinity(0, sizeof mask, mask) != 0) return cores;
  for (std::size_t core = 0; core < most_cores; ++core)
    if (CPU_ISSET_S(core, sizeof mask, mask)) cores.push_back(core);
  return cores;
}

Status bind_this_thread(std::span<const std::size_t> cores) {
  Mask mask{};
  for (const auto core : cores) CPU_SET_S(core, sizeof mask, mask);
  if (::sched_setaffinity(0, sizeof mask, mask) == 0) return {};
  const auto error = system_error(fmt::format("cannot be bound to {} cores", cores.size()), errno);
  return fail(ErrorCode::unavailable, "{}", error.message);
}

std::int64_t usable_cores(std::size_t allowed, const std::filesystem::path& root) {
  const Records records(root);
  const auto quota = cpu_quota(records, read_hierarchies(records, "self"));
  const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(allowed));
  return quota ? std::clamp<std::int64_t>(std::llround(std::ceil(quota->value)), 1, most) : most;
}

}  // namespace neph
