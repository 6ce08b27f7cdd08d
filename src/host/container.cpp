#include "host/container.hpp"

#include <utility>

#include <fmt/format.h>

#include "os/cgroup.hpp"

namespace neph::host {
namespace {

void recognise(Container& container, std::string_view kind, std::string evidence) {
  container.kind = kind;
  container.evidence = std::move(evidence);
}

// systemd.io/CONTAINER_INTERFACE: process 1 of a container has container=<kind> in its environment.
std::optional<std::string> told_by_environment(const Records& records) {
  const auto environment = records.text("proc/1/environ");
  if (!environment) return std::nullopt;
  for (std::size_t at = 0; at < environment->size();) {
    const std::string entry = environment->c_str() + at;  // entries end in a zero byte
    if (entry.starts_with("container=")) return entry.substr(10);
    at += entry.size() + 1;
  }
  return std::nullopt;
}

// The most particular sign first: a Kubernetes pod's container has Docker's or containerd's signs too.
void read_kind(const Records& records, Container& container) {
  if (records.exists("var/run/secrets/kubernetes.io"))
    return recognise(container, "kubernetes", "/var/run/secrets/kubernetes.io exists");
  const auto groups = records.text("proc/self/cgroup");
  if (groups && groups->find("kubepods") != groups->npos)
    return recognise(container, "kubernetes", "kubepods in /proc/self/cgroup");
  if (records.exists("run/.containerenv")) return recognise(container, "podman", "/run/.containerenv exists");
  if (records.exists(".dockerenv")) return recognise(container, "docker", "/.dockerenv exists");
  constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"libpod", "podman"}, {"docker", "docker"}, {"lxc", "lxc"}, {"containerd", "containerd"}};
  for (const auto& [sign, kind] : signs)
    if (groups && groups->find(sign) != groups->npos)
      return recognise(container, kind, fmt::format("{} in /proc/self/cgroup", sign));
  if (const auto told = records.text("run/systemd/container"))
    return recognise(container, *told, "/run/systemd/container");
  if (const auto told = told_by_environment(records))
    return recognise(container, *told, "container= in the environment of process 1");
  if (groups) container.kind = "none";
}

std::optional<std::string> version_of(const std::vector<Hierarchy>& hierarchies) {
  bool legacy = false;
  bool unified = false;
  for (const auto& hierarchy : hierarchies) (hierarchy.unified ? unified : legacy) = true;
  if (!legacy && !unified) return std::nullopt;
  return !legacy ? "v2" : unified ? "hybrid" : "v1";
}

}  // namespace

Container read_container(const Records& records, std::optional<std::int64_t> memory_total,
                         std::optional<std::int64_t> online) {
  Container container;
  read_kind(records, container);
  const auto hierarchies = read_hierarchies(records, "self");
  container.cgroup_version = version_of(hierarchies);
  if (const auto quota = cpu_quota(records, hierarchies)) {
    container.cpu_quota_cores = quota->value;
    container.cpu_quota_from = "/" + quota->folder;
  }
  const auto memory = memory_limit(records, hierarchies);
  if (memory && (!memory_total || memory->value < static_cast<double>(*memory_total))) {
    container.memory_limit_bytes = static_cast<std::int64_t>(memory->value);
    container.memory_limit_from = "/" + memory->folder;
  }
  if (const auto list = cpuset(records, hierarchies)) {
    const auto cpus = to_cpus(*list);
    if (cpus && (!online || std::ssize(*cpus) < *online)) container.cpuset = list;
  }
  return container;
}

}  // namespace neph::host
