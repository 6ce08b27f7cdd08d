#include "os/memory.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/text.hpp"
#include "core/units.hpp"
#include "os/file.hpp"

namespace neph {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  text = trimmed(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return number;
}

/// The number behind `key` at the start of a line.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (line.starts_with(key)) return number_in(line.substr(key.size()));
    at = end + 1;
  }
  return std::nullopt;
}

struct GroupFiles {
  const char* limit;
  const char* used;
  const char* idle_cache;  ///< of memory.stat
};

/// What a group leaves of its limit; empty: it has none.
std::optional<std::uint64_t> left_in(const std::filesystem::path& folder, const GroupFiles& files) {
  const auto limit = read_file(folder / files.limit), used = read_file(folder / files.used);
  if (!limit || !used) return std::nullopt;
  const auto most = number_in(*limit), now = number_in(*used);  // "max" is no number
  if (!most || !now) return std::nullopt;
  const auto stat = read_file(folder / "memory.stat");
  const auto cache = stat ? number_after(*stat, files.idle_cache).value_or(0) : 0;
  const auto held = *now - std::min(*now, cache);
  return *most - std::min(*most, held);
}

}  // namespace

std::optional<std::uint64_t> available_memory(const std::filesystem::path& root) {
  std::optional<std::uint64_t> least;
  const auto take = [&](std::optional<std::uint64_t> bytes) {
    if (bytes) least = std::min(least.value_or(*bytes), *bytes);
  };
  if (const auto text = read_file(root / "proc/meminfo"))
    if (const auto kibibytes = number_after(*text, "MemAvailable:")) take(*kibibytes * 1024);

  constexpr GroupFiles v2{"memory.max", "memory.current", "inactive_file "};
  constexpr GroupFiles v1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
  const auto mount = root / "sys/fs/cgroup";
  if (const auto groups = read_file(root / "proc/self/cgroup"))
    if (const auto at = groups->find("0::/"); at != groups->npos) {
      auto group = std::filesystem::path(groups->substr(at + 4, groups->find('\n', at) - at - 4));
      for (; !group.empty(); group = group.parent_path()) take(left_in(mount / group, v2));
    }
  take(left_in(mount, v2));  // of a container with a namespace of its own
  take(left_in(mount / "memory", v1));
  return least;
}

Status enough_memory(std::uint64_t bytes, const std::string& what) {
  constexpr std::uint64_t small = 16 << 20;  // not worth asking
  if (bytes <= small) return {};
  const auto available = available_memory();
  if (!available || bytes <= *available) return {};
  return fail(ErrorCode::unavailable, "{} takes {} of memory, and {} are available", what,
              format_bytes(static_cast<double>(bytes)), format_bytes(static_cast<double>(*available)));
}

}  // namespace neph
