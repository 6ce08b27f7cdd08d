#include "os/cgroup.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/lists.hpp"

namespace neph {
namespace {

// v1 writes the largest multiple of the page size for "no limit": nothing real comes near.
constexpr double no_limit_bytes = 0x1p62;

struct Mount {
  std::string root;   // the part of the hierarchy that is mounted
  std::string point;  // where
  bool unified = false;
  std::vector<std::string> controllers;
};

std::vector<std::string> names_in(std::string_view list) {
  const auto names = split_at(list, ',');
  return {names.begin(), names.end()};
}

// proc(5), /proc/pid/mountinfo: id parent major:minor root point options [tags] - type source super-options
// As this process sees them: those of a process in a container are its own, in a namespace of mounts.
std::vector<Mount> cgroup_mounts(const Records& records) {
  std::vector<Mount> mounts;
  const auto text = records.text("proc/self/mountinfo");
  if (!text) return mounts;
  for (const auto& line : lines(*text)) {
    const auto fields = words(line);
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 5 || fields.end() - dash < 4) continue;
    if (dash[1] == "cgroup2") mounts.push_back({.root = fields[3], .point = fields[4], .unified = true});
    if (dash[1] == "cgroup")
      mounts.push_back({.root = fields[3], .point = fields[4], .controllers = names_in(dash[3])});
  }
  return mounts;
}

std::string without_slashes(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

// The group relative to the mount. A path outside of the mounted part ("/../x", or another container's)
// cannot be walked: what is mounted is then the nearest that can be seen.
std::string relative_group(std::string_view group, std::string_view mount_root) {
  if (mount_root == "/") mount_root = "";
  if (!group.starts_with(mount_root) || group.starts_with("/..")) return "";
  return without_slashes(group.substr(mount_root.size()));
}

bool same_controllers(const Mount& mount, const std::vector<std::string>& controllers) {
  return std::all_of(controllers.begin(), controllers.end(), [&](const std::string& name) {
    return std::find(mount.controllers.begin(), mount.controllers.end(), name) != mount.controllers.end();
  });
}

std::vector<std::string> unified_controllers(const Records& records, const Hierarchy& hierarchy) {
  std::vector<std::string> all;
  for (const auto& folder : hierarchy.folders())
    if (const auto names = records.text(folder + "/cgroup.controllers"))
      for (auto& name : words(*names)) all.push_back(std::move(name));
  return all;
}

template <class Read>
std::optional<Bound> tightest(const Hierarchy* hierarchy, Read read) {
  std::optional<Bound> bound;
  if (hierarchy == nullptr) return bound;
  for (auto& folder : hierarchy->folders()) {
    const std::optional<double> value = read(folder);
    if (value && (!bound || *value < bound->value)) bound = Bound{*value, std::move(folder)};
  }
  return bound;
}

std::optional<double> unified_quota(const Records& records, const std::string& folder) {
  const auto text = records.text(folder + "/cpu.max");  // "max 100000" or "150000 100000"
  if (!text) return std::nullopt;
  const auto fields = words(*text);
  const auto quota = to_number(fields[0]);
  const auto period = fields.size() > 1 ? to_number(fields[1]) : 100000;
  if (!quota || !period || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> legacy_quota(const Records& records, const std::string& folder) {
  const auto quota = records.number(folder + "/cpu.cfs_quota_us");
  const auto period = records.number(folder + "/cpu.cfs_period_us");
  if (!quota || *quota <= 0 || !period || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace

std::vector<std::string> Hierarchy::folders() const {
  std::vector<std::string> chain;
  for (auto path = group; !path.empty();) {
    chain.push_back(mount + "/" + path);
    const auto slash = path.rfind('/');
    path.resize(slash == path.npos ? 0 : slash);
  }
  chain.push_back(mount);
  return chain;
}

std::vector<Hierarchy> read_hierarchies(const Records& records, std::string_view pid) {
  std::vector<Hierarchy> hierarchies;
  const auto text = records.text(fmt::format("proc/{}/cgroup", pid));
  if (!text) return hierarchies;
  const auto mounts = cgroup_mounts(records);
  for (const auto& line : lines(*text)) {  // "4:memory:/docker/1f", v2: "0::/user.slice"
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto names = line.substr(first + 1, second - first - 1);
    const bool unified = names.empty();
    auto controllers = unified ? std::vector<std::string>{} : names_in(names);
    const auto mount = std::find_if(mounts.begin(), mounts.end(), [&](const Mount& candidate) {
      return candidate.unified == unified && (unified || same_controllers(candidate, controllers));
    });
    if (mount == mounts.end()) continue;
    Hierarchy hierarchy{.unified = unified,
                        .controllers = std::move(controllers),
                        .mount = without_slashes(mount->point),
                        .group = relative_group(line.substr(second + 1), mount->root)};
    if (unified) hierarchy.controllers = unified_controllers(records, hierarchy);
    hierarchies.push_back(std::move(hierarchy));
  }
  return hierarchies;
}

const Hierarchy* find_controller(const std::vector<Hierarchy>& hierarchies, std::string_view controller) {
  const Hierarchy* found = nullptr;
  for (const auto& hierarchy : hierarchies) {
    const auto& names = hierarchy.controllers;
    if (std::find(names.begin(), names.end(), controller) == names.end()) continue;
    if (found == nullptr || found->unified) found = &hierarchy;
  }
  return found;
}

std::optional<Bound> cpu_quota(const Records& records, const std::vector<Hierarchy>& hierarchies) {
  const auto* hierarchy = find_controller(hierarchies, "cpu");
  return tightest(hierarchy, [&](const std::string& folder) {
    return hierarchy->unified ? unified_quota(records, folder) : legacy_quota(records, folder);
  });
}

std::optional<Bound> memory_limit(const Records& records, const std::vector<Hierarchy>& hierarchies) {
  const auto* hierarchy = find_controller(hierarchies, "memory");
  return tightest(hierarchy, [&](const std::string& folder) -> std::optional<double> {
    const auto bytes =
        records.number(folder + (hierarchy->unified ? "/memory.max" : "/memory.limit_in_bytes"));
    if (!bytes || static_cast<double>(*bytes) >= no_limit_bytes) return std::nullopt;
    return static_cast<double>(*bytes);
  });
}

std::optional<std::string> cpuset(const Records& records, const std::vector<Hierarchy>& hierarchies) {
  const auto* hierarchy = find_controller(hierarchies, "cpuset");
  if (hierarchy == nullptr) return std::nullopt;
  for (const auto& folder : hierarchy->folders())
    for (const auto* file : {"/cpuset.cpus.effective", "/cpuset.effective_cpus", "/cpuset.cpus"})
      if (auto list = records.text(folder + file)) return list;
  return std::nullopt;
}

}  // namespace neph
