#include "os/memory.hpp"

#include <algorithm>

#include <malloc.h>

#include "core/units.hpp"
#include "os/cgroup.hpp"
#include "os/cores.hpp"

namespace neph {
namespace {

struct GroupFiles {
  const char* limit;
  const char* used;
  const char* idle_cache;  ///< of memory.stat
};
constexpr GroupFiles v2{"/memory.max", "/memory.current", "inactive_file"};
constexpr GroupFiles v1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};

/// What a group leaves of its limit; empty: it has none.
std::optional<std::int64_t> left_in(const Records& records, const std::string& folder,
                                    const GroupFiles& files) {
  const auto most = records.number(folder + files.limit), used = records.number(folder + files.used);
  if (!most || !used) return std::nullopt;  // "max" is no number
  const auto cache = value_of(records.text(folder + "/memory.stat").value_or(""), files.idle_cache);
  const auto held = *used - (cache ? to_number(*cache).value_or(0) : 0);
  return std::max<std::int64_t>(0, *most - std::max<std::int64_t>(0, held));
}

}  // namespace

std::optional<std::uint64_t> available_memory(const std::filesystem::path& root) {
  const Records records(root);
  auto least = kibibytes_of(records.text("proc/meminfo").value_or(""), "MemAvailable");
  const auto hierarchies = read_hierarchies(records, "self");
  if (const auto* groups = find_controller(hierarchies, "memory"))
    for (const auto& folder : groups->folders())
      if (const auto left = left_in(records, folder, groups->unified ? v2 : v1))
        least = std::min(least.value_or(*left), *left);
  if (!least) return std::nullopt;
  return static_cast<std::uint64_t>(*least);
}

Status enough_memory(std::uint64_t bytes, const std::string& what) {
  constexpr std::uint64_t small = 16 << 20;  // not worth asking
  if (bytes <= small) return {};
  const auto available = available_memory();
  if (!available || bytes <= *available) return {};
  return fail(ErrorCode::unavailable, "{} takes {} of memory, and {} are available", what,
              format_bytes(static_cast<double>(bytes)), format_bytes(static_cast<double>(*available)));
}

void keep_heap() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // glibc's largest
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  mallopt(M_ARENA_MAX, std::max(2, static_cast<int>(usable_cores())));
}

void give_back_free_memory() { ::malloc_trim(0); }

}  // namespace neph
