#include "host/system.hpp"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gnu/libc-version.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/json.hpp"
#include "os/cgroup.hpp"

namespace neph::host {
namespace {

std::optional<std::string> os_name(const Records& records) {
  auto release = records.text("etc/os-release");
  if (!release) release = records.text("usr/lib/os-release");
  if (!release) return std::nullopt;
  for (const auto& line : lines(*release)) {
    std::string_view value = line;
    if (!value.starts_with("PRETTY_NAME=")) continue;
    value.remove_prefix(12);
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return std::nullopt;
}

// What the hypervisor calls itself: CPUID leaf 0x40000000, twelve letters in EBX, ECX, EDX.
std::optional<std::string> hypervisor_signature([[maybe_unused]] const Records& records) {
#if defined(__x86_64__)
  if (!records.is_live())
    return std::nullopt;  // the instruction tells of this machine, not of the recorded one
  unsigned leaf = 0;
  std::array<unsigned, 3> letters{};
  __cpuid(0x40000000, leaf, letters[0], letters[1], letters[2]);
  char name[13] = {};
  std::memcpy(name, letters.data(), 12);
  if (name[0] == '\0') return std::nullopt;
  return std::string(name);
#else
  return std::nullopt;
#endif
}

std::optional<std::string> name_by_sign(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"KVM", "KVM"},         {"Microsoft", "Hyper-V"},  {"VMware", "VMware"}, {"Xen", "Xen"},
      {"VBox", "VirtualBox"}, {"innotek", "VirtualBox"}, {"QEMU", "QEMU"},     {"TCGTCG", "QEMU"},
      {"Amazon EC2", "KVM"},  {"Google", "KVM"},         {"bhyve", "bhyve"},   {"prl hyperv", "Parallels"},
      {"OpenStack", "KVM"},   {"Alibaba Cloud", "KVM"},
  };
  for (const auto& [sign, name] : signs)
    if (text.find(sign) != text.npos) return std::string(name);
  return std::nullopt;
}

std::optional<std::string> product_name(const Records& records) {
  std::string product;
  for (const auto* file : {"sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name"})
    if (const auto text = records.text(file)) product += (product.empty() ? "" : " ") + *text;
  if (product.empty())
    if (const auto board = records.text("proc/device-tree/model"))
      product = board->substr(0, board->find('\0'));  // it ends in a zero byte
  if (product.empty()) return std::nullopt;
  return product;
}

void read_hypervisor(const Records& records, System& system) {
  const auto cpuinfo = records.text("proc/cpuinfo");
  const auto flags = cpuinfo ? value_of(*cpuinfo, "flags") : std::nullopt;
  if (flags) system.virtual_machine = (" " + *flags + " ").find(" hypervisor ") != flags->npos;
  const auto xen = records.text("sys/hypervisor/type");
  if (xen) system.virtual_machine = true;
  if (system.virtual_machine == false) return;

  // Arm has no such flag: there only a known hypervisor's name in the firmware proves one.
  if (xen == "xen") system.hypervisor = "Xen";
  if (!system.hypervisor && system.virtual_machine)
    if (const auto signature = hypervisor_signature(records))
      system.hypervisor = name_by_sign(*signature).value_or(*signature);
  const bool metal = system.product && system.product->find(".metal") != system.product->npos;
  if (!system.hypervisor && system.product && !metal) system.hypervisor = name_by_sign(*system.product);
  if (system.hypervisor) system.virtual_machine = true;
}

// ---- Whose cloud the machine is in, and what that calls its size: from the firmware's names (DMI) and from
// what cloud-init wrote down when the machine started. Never from the provider's server.

struct Cloud {
  std::optional<std::string> provider;       ///< empty: the machine does not tell
  std::optional<std::string> instance_type;  ///< empty: the machine does not tell
};

/// What firmware says of itself, and which provider's it is then. The signs are those by which cloud-init
/// (tools/ds-identify) knows where it is. sys_vendor alone is no sign of Google or Microsoft, who make
/// laptops.
struct Sign {
  const char* file;  ///< below sys/class/dmi/id
  std::string_view begin;
  const char* provider;
};
constexpr Sign firmware_signs[] = {
    {"sys_vendor", "Amazon EC2", "Amazon EC2"},
    {"bios_vendor", "Amazon EC2", "Amazon EC2"},
    {"product_name", "Google Compute Engine", "Google Compute Engine"},
    {"chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", "Microsoft Azure"},
    {"chassis_asset_tag", "OracleCloud.com", "Oracle Cloud"},
    {"chassis_asset_tag", "OpenTelekomCloud", "Open Telekom Cloud"},
    {"chassis_asset_tag", "HUAWEICLOUD", "Huawei Cloud"},
    {"sys_vendor", "Alibaba Cloud", "Alibaba Cloud"},
    {"sys_vendor", "DigitalOcean", "DigitalOcean"},
    {"sys_vendor", "Hetzner", "Hetzner"},
    {"sys_vendor", "Selectel", "Selectel"},
    {"sys_vendor", "Scaleway", "Scaleway"},
    {"sys_vendor", "Vultr", "Vultr"},
    {"sys_vendor", "UpCloud", "UpCloud"},
    // Whose cloud of this kind it is, such firmware does not tell.
    {"sys_vendor", "OpenStack Foundation", "OpenStack"},
    {"product_name", "OpenStack Nova", "OpenStack"},
    {"product_name", "OpenStack Compute", "OpenStack"},
    {"chassis_asset_tag", "OpenStack Nova", "OpenStack"},
};

std::optional<std::string> firmware_says(const Records& records, std::string_view name) {
  return records.text(fmt::format("sys/class/dmi/id/{}", name));
}

/// The first Xen machines of Amazon are Xen's by vendor, and Amazon's by their version: "4.2.amazon".
bool is_amazon_xen(const Records& records) {
  const auto version = firmware_says(records, "bios_version");
  return firmware_says(records, "sys_vendor") == "Xen" && version && version->ends_with(".amazon");
}

std::optional<std::string> provider_by_firmware(const Records& records) {
  for (const auto& sign : firmware_signs)
    if (const auto text = firmware_says(records, sign.file); text && text->starts_with(sign.begin))
      return sign.provider;
  if (is_amazon_xen(records)) return "Amazon EC2";
  return std::nullopt;
}

/// cloud-init's names of clouds. Others ("nocloud", "configdrive") are ways to start a machine, not places.
std::optional<std::string> provider_by_name(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> known[] = {
      {"aws", "Amazon EC2"},      {"gce", "Google Compute Engine"}, {"azure", "Microsoft Azure"},
      {"openstack", "OpenStack"}, {"digitalocean", "DigitalOcean"}, {"hetzner", "Hetzner"},
      {"oracle", "Oracle Cloud"}, {"aliyun", "Alibaba Cloud"},      {"scaleway", "Scaleway"},
      {"vultr", "Vultr"},         {"upcloud", "UpCloud"},
  };
  for (const auto& [its_name, provider] : known)
    if (name == its_name) return provider;
  return std::nullopt;
}

using Path = std::vector<const char*>;  // keys, from the outside in

/// cloud-init hides what is private from users other than root: that is no text.
std::optional<std::string> text_at(const Json& object, const Path& path) {
  const Json* found = &object;
  for (const auto* key : path) {
    if (!found->is_object() || !found->contains(key)) return std::nullopt;
    found = &(*found)[key];
  }
  if (!found->is_string()) return std::nullopt;
  auto text = found->get<std::string>();
  if (text.empty() || text.starts_with("redacted")) return std::nullopt;
  return text;
}

/// Where the sources of cloud-init keep what the provider's server told them of the size.
std::optional<std::string> type_in(const Json& data) {
  for (const auto& path : {Path{"ds", "meta_data", "instance-type"},              // Amazon
                           Path{"ds", "meta_data", "imds", "compute", "vmSize"},  // Azure
                           Path{"ds", "meta_data", "shape"},                      // Oracle
                           Path{"ds", "meta_data", "instance", "instance-type"},  // Alibaba
                           Path{"ds", "ec2_metadata", "instance-type"}})          // OpenStack
    if (auto type = text_at(data, path)) return type;
  return std::nullopt;
}

/// null: there is none.
Json data_of_cloud_init(const Records& records) {
  const auto text = records.text("run/cloud-init/instance-data.json");
  if (!text) return {};
  auto data = parse_json(*text, "cloud-init");
  return data ? *std::move(data) : Json();
}

Cloud read_cloud(const Records& records) {
  Cloud cloud{.provider = provider_by_firmware(records)};
  const auto data = data_of_cloud_init(records);
  if (!cloud.provider)
    for (const auto* key : {"cloud_name", "cloud-name"})
      if (const auto name = text_at(data, {"v1", key}); name && !cloud.provider)
        cloud.provider = provider_by_name(*name);
  if (!cloud.provider) return cloud;
  cloud.instance_type = type_in(data);
  // Amazon's product name is the type, but where Xen lies below: "HVM domU".
  if (!cloud.instance_type && firmware_says(records, "sys_vendor") == "Amazon EC2")
    cloud.instance_type = firmware_says(records, "product_name");
  return cloud;
}

// ---- Containers, and the limits that bind this process there

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

System read_system(const Records& records) {
  System system;
  system.name = records.text("proc/sys/kernel/hostname");
  system.os = os_name(records);
  system.kernel = records.text("proc/sys/kernel/osrelease");
  system.product = product_name(records);
  const auto cloud = read_cloud(records);
  system.provider = cloud.provider;
  system.instance_type = cloud.instance_type;
  read_hypervisor(records, system);
  system.clock_source = records.text("sys/devices/system/clocksource/clocksource0/current_clocksource");
  system.libc = fmt::format("glibc {}", gnu_get_libc_version());
#if defined(__clang__)
  system.compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  system.compiler = fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  return system;
}

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
