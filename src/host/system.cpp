#include "host/system.hpp"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <gnu/libc-version.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "host/cloud.hpp"

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

}  // namespace neph::host
