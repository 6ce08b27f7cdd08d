// Control groups (cgroups(7)): where this process stands in each hierarchy, and the limits that bind it
// there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/records.hpp"

namespace neph {

/// One hierarchy as seen from here: v1 has one per controller, v2 one for all.
struct Hierarchy {
  bool unified = false;                  ///< v2
  std::vector<std::string> controllers;  ///< v1: of the mount; v2: what the group or one above it enables
  std::string mount;                     ///< relative to the root of the records, without a leading slash
  std::string group;                     ///< the process's group, relative to the mount: "" or "a/b"

  /// The group, then those above it, up to the mount: folders relative to the root of the records.
  std::vector<std::string> folders() const;
};

/// Hierarchies of process `pid` ("self" or a number), from /proc/<pid>/cgroup, where this process finds them:
/// /proc/self/mountinfo. In a container without a namespace of its own the group's path does not begin at the
/// mount: the mount's root is taken off.
std::vector<Hierarchy> read_hierarchies(const Records& records, std::string_view pid);

/// The hierarchy that carries `controller` ("cpu", "memory", "cpuset", "cpuacct"), v1 before v2 as the kernel
/// binds it.
const Hierarchy* find_controller(const std::vector<Hierarchy>& hierarchies, std::string_view controller);

struct Bound {
  double value = 0;
  std::string folder;  ///< the group that sets it, relative to the root of the records
};

/// The tightest CPU quota, in cores, on the way from the group up; empty: none.
std::optional<Bound> cpu_quota(const Records& records, const std::vector<Hierarchy>& hierarchies);
/// The tightest memory limit in bytes; empty: none (v1 writes a number near 2^63 for that).
std::optional<Bound> memory_limit(const Records& records, const std::vector<Hierarchy>& hierarchies);
/// The processors that the nearest group with such a file allows, as the kernel writes them.
std::optional<std::string> cpuset(const Records& records, const std::vector<Hierarchy>& hierarchies);

}  // namespace neph
