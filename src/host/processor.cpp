#include "host/processor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/utsname.h>

namespace neph::host {
namespace {

constexpr std::string_view cpu_folder = "sys/devices/system/cpu";

struct Feature {
  std::string_view kernel;  // the word in /proc/cpuinfo
  std::string_view shown;
};
// Ordered by what engines prefer least to most, x86 first.
constexpr Feature known_features[] = {
    {"sse4_2", "sse4_2"},
    {"avx", "avx"},
    {"f16c", "f16c"},
    {"fma", "fma"},
    {"avx2", "avx2"},
    {"avx_vnni", "avx_vnni"},
    {"avx_vnni_int8", "avx_vnni_int8"},
    {"avx_ne_convert", "avx_ne_convert"},
    {"avx512f", "avx512f"},
    {"avx512bw", "avx512bw"},
    {"avx512vl", "avx512vl"},
    {"avx512_vnni", "avx512_vnni"},
    {"avx512_bf16", "avx512_bf16"},
    {"avx512_fp16", "avx512_fp16"},
    {"amx_tile", "amx_tile"},
    {"amx_int8", "amx_int8"},
    {"amx_bf16", "amx_bf16"},
    {"amx_fp16", "amx_fp16"},
    {"asimd", "neon"},
    {"neon", "neon"},
    {"asimdhp", "fp16"},
    {"asimddp", "dotprod"},
    {"i8mm", "i8mm"},
    {"bf16", "bf16"},
    {"sve", "sve"},
    {"sve2", "sve2"},
    {"svei8mm", "svei8mm"},
    {"svebf16", "svebf16"},
    {"sme", "sme"},
    {"sme2", "sme2"},
};

struct ArmPart {
  std::int64_t implementer;
  std::int64_t part;
  std::string_view name;
};
// MIDR_EL1 numbers: Arm's technical reference manuals, and the vendors' own.
constexpr ArmPart arm_parts[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse-N1"}, {0x41, 0xd40, "Neoverse-V1"},
    {0x41, 0xd49, "Neoverse-N2"}, {0x41, 0xd4f, "Neoverse-V2"}, {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd8e, "Neoverse-N3"}, {0xc0, 0xac3, "Ampere-1"},    {0xc0, 0xac4, "Ampere-1a"},
    {0x46, 0x001, "A64FX"},       {0x48, 0xd01, "Kunpeng-920"},
};

std::optional<std::int64_t> hexadecimal(const std::optional<std::string>& text) {
  if (!text || !text->starts_with("0x")) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : std::string_view(*text).substr(2)) {
    const auto at = std::string_view("0123456789abcdef").find(digit);
    if (at == std::string_view::npos || value > 0xffffffff) return std::nullopt;
    value = value * 16 + static_cast<std::int64_t>(at);
  }
  return value;
}

void read_arm_model(std::string_view cpuinfo, Processor& processor) {
  const auto implementer = hexadecimal(value_of(cpuinfo, "CPU implementer"));
  const auto part = hexadecimal(value_of(cpuinfo, "CPU part"));
  if (!implementer || !part) return;
  constexpr std::pair<std::int64_t, std::string_view> vendors[] = {
      {0x41, "ARM"},      {0x46, "Fujitsu"}, {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},
      {0x51, "Qualcomm"}, {0x61, "Apple"},   {0xc0, "Ampere"}};
  for (const auto& [number, name] : vendors)
    if (number == *implementer) processor.vendor = name;
  for (const auto& known : arm_parts)
    if (known.implementer == *implementer && known.part == *part) processor.model = known.name;
  if (!processor.model)
    processor.model = fmt::format("Arm implementer {:#04x} part {:#05x}", *implementer, *part);
}

/// Servers' processors by the numbers of CPUID, which desktop processors share: AMD's and Intel's lists of
/// models (Linux: arch/x86/include/asm/intel-family.h; AMD's revision guides).
struct Generation {
  std::string_view vendor;
  std::int64_t family, first_model, last_model;
  std::string_view name;
  std::int64_t first_stepping = 0, last_stepping = 99;
};
constexpr std::string_view amd = "AuthenticAMD", intel = "GenuineIntel";
constexpr Generation generations[] = {
    {amd, 23, 1, 1, "EPYC Naples"},
    {amd, 23, 49, 49, "EPYC Rome"},
    {amd, 25, 1, 1, "EPYC Milan"},
    {amd, 25, 17, 17, "EPYC Genoa"},
    {amd, 25, 160, 175, "EPYC Bergamo"},
    {amd, 26, 2, 2, "EPYC Turin"},
    {amd, 26, 17, 17, "EPYC Turin Dense"},
    {intel, 6, 63, 63, "Xeon Haswell"},
    {intel, 6, 79, 79, "Xeon Broadwell"},
    {intel, 6, 85, 85, "Xeon Skylake", 0, 4},
    {intel, 6, 85, 85, "Xeon Cascade Lake", 5, 7},
    {intel, 6, 106, 106, "Xeon Ice Lake"},
    {intel, 6, 143, 143, "Xeon Sapphire Rapids"},
    {intel, 6, 207, 207, "Xeon Emerald Rapids"},
    {intel, 6, 173, 173, "Xeon Granite Rapids"},
};

std::optional<std::int64_t> number_called(std::string_view cpuinfo, std::string_view name) {
  const auto text = value_of(cpuinfo, name);
  std::int64_t number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc{})
    return std::nullopt;
  return number;
}

/// Nothing of a processor whose name is a desktop's.
std::optional<std::string> generation_of(std::string_view cpuinfo, const Processor& processor) {
  const auto family = number_called(cpuinfo, "cpu family"), model = number_called(cpuinfo, "model"),
             stepping = number_called(cpuinfo, "stepping");
  const auto name = processor.model.value_or("");
  for (const std::string_view desktop : {"Ryzen", "Threadripper", "Core(TM)"})
    if (name.find(desktop) != std::string::npos) return std::nullopt;
  for (const auto& known : generations)
    if (processor.vendor == known.vendor && family == known.family && model && known.first_model <= *model &&
        *model <= known.last_model && stepping.value_or(0) >= known.first_stepping &&
        stepping.value_or(0) <= known.last_stepping)
      return std::string(known.name);
  return std::nullopt;
}

void read_cpuinfo(const Records& records, Processor& processor) {
  const auto cpuinfo = records.text("proc/cpuinfo");
  if (!cpuinfo) return;
  processor.vendor = value_of(*cpuinfo, "vendor_id");
  processor.model = value_of(*cpuinfo, "model name");
  processor.generation = generation_of(*cpuinfo, processor);
  if (!processor.model) read_arm_model(*cpuinfo, processor);

  auto flags = value_of(*cpuinfo, "flags");
  if (!flags) flags = value_of(*cpuinfo, "Features");
  if (!flags) return;
  const auto list = words(*flags);
  const std::set<std::string_view> has(list.begin(), list.end());
  for (const auto& feature : known_features)
    if (has.contains(feature.kernel)) processor.features.emplace_back(feature.shown);
}

std::vector<std::int64_t> online_cpus(const Records& records, Processor& processor) {
  processor.online_list = records.text(fmt::format("{}/online", cpu_folder));
  if (!processor.online_list) return {};
  auto cpus = to_cpus(*processor.online_list);
  if (!cpus) return {};
  processor.online = std::ssize(*cpus);
  return *std::move(cpus);
}

void read_topology(const Records& records, const std::vector<std::int64_t>& cpus, Processor& processor) {
  std::set<std::int64_t> sockets;
  std::set<std::string> cores;  // a core is the set of its threads: core_id is unique in a die only
  bool smt = false;
  for (const auto cpu : cpus) {
    const auto topology = fmt::format("{}/cpu{}/topology/", cpu_folder, cpu);
    const auto socket = records.number(topology + "physical_package_id");
    if (socket && *socket >= 0) sockets.insert(*socket);  // some Arm machines do not know: -1
    auto siblings = records.text(topology + "thread_siblings_list");
    if (!siblings) siblings = records.text(topology + "core_cpus_list");
    if (!siblings) return;
    const auto threads = to_cpus(*siblings);
    smt = smt || (threads && threads->size() > 1);
    cores.insert(*std::move(siblings));
  }
  if (!sockets.empty()) processor.sockets = std::ssize(sockets);
  if (cores.empty()) return;
  processor.cores = std::ssize(cores);
  processor.smt = smt;
}

void read_caches(const Records& records, const std::vector<std::int64_t>& cpus, Processor& processor) {
  std::set<std::pair<std::string, std::string>> instances;  // name, processors that share it
  for (const auto cpu : cpus) {
    const auto folder = fmt::format("{}/cpu{}/cache", cpu_folder, cpu);
    for (const auto index : records.numbered(folder, "index")) {
      const auto cache = fmt::format("{}/index{}/", folder, index);
      const auto level = records.number(cache + "level");
      const auto type = records.text(cache + "type");
      if (!level || !type) continue;
      const auto suffix = *type == "Data" ? "d" : *type == "Instruction" ? "i" : "";
      const auto name = fmt::format("L{}{}", *level, suffix);
      const auto sharing = records.text(cache + "shared_cpu_list");
      const bool is_new = instances.emplace(name, sharing.value_or(fmt::format("{}", cpu))).second;
      auto entry = std::find_if(processor.caches.begin(), processor.caches.end(),
                                [&](const Cache& known) { return known.name == name; });
      if (entry == processor.caches.end()) {
        const auto size = records.text(cache + "size");
        const auto sharers = sharing ? to_cpus(*sharing) : std::nullopt;
        entry = processor.caches.insert(
            entry, Cache{.name = name, .bytes = size ? to_bytes(*size) : std::nullopt, .count = 0});
        if (sharers) entry->shared = std::ssize(*sharers);
      }
      if (is_new) ++*entry->count;
    }
  }
}

void read_numa(const Records& records, Processor& processor) {
  for (const auto id : records.numbered("sys/devices/system/node", "node")) {
    const auto folder = fmt::format("sys/devices/system/node/node{}/", id);
    NumaNode node{.id = id, .cpus = records.text(folder + "cpulist").value_or("")};
    if (const auto meminfo = records.text(folder + "meminfo"))
      node.memory_bytes = kibibytes_of(*meminfo, fmt::format("Node {} MemTotal", id));
    processor.numa.push_back(std::move(node));
  }
}

std::optional<double> kilohertz(const Records& records, const std::string& file) {
  const auto value = records.number(file);
  if (!value || *value <= 0) return std::nullopt;
  return static_cast<double>(*value) * 1e3;
}

std::optional<double> nominal_hz(const Records& records) {
  const auto cpuinfo = records.text("proc/cpuinfo");
  const auto megahertz = cpuinfo ? value_of(*cpuinfo, "cpu MHz") : std::nullopt;
  if (!megahertz) return std::nullopt;
  const double value = std::strtod(megahertz->c_str(), nullptr);
  if (value <= 0) return std::nullopt;
  return value * 1e6;
}

void read_frequencies(const Records& records, const std::vector<std::int64_t>& cpus, Processor& processor) {
  std::set<std::string> governors;
  double sum_hz = 0;
  int readings = 0;
  for (const auto cpu : cpus) {
    const auto folder = fmt::format("{}/cpu{}/cpufreq/", cpu_folder, cpu);
    if (auto governor = records.text(folder + "scaling_governor")) governors.insert(*std::move(governor));
    if (const auto now = kilohertz(records, folder + "scaling_cur_freq")) {
      sum_hz += *now;
      ++readings;
    }
  }
  if (!cpus.empty()) {
    const auto folder = fmt::format("{}/cpu{}/cpufreq/", cpu_folder, cpus.front());
    processor.base_hz = kilohertz(records, folder + "base_frequency");
    processor.min_hz = kilohertz(records, folder + "scaling_min_freq");
    processor.max_hz = kilohertz(records, folder + "scaling_max_freq");
    processor.frequency_driver = records.text(folder + "scaling_driver");
  }
  if (!governors.empty()) processor.governor = fmt::format("{}", fmt::join(governors, ", "));
  processor.current_hz = readings > 0 ? std::optional(sum_hz / readings) : nominal_hz(records);
  if (const auto off = records.number(fmt::format("{}/intel_pstate/no_turbo", cpu_folder)))
    processor.boost = *off == 0;
  else if (const auto on = records.number(fmt::format("{}/cpufreq/boost", cpu_folder)))
    processor.boost = *on != 0;
}

std::optional<std::string> architecture(const Records& records) {
  if (auto name = records.text("proc/sys/kernel/arch")) return name;  // since Linux 6.1
  utsname kernel{};
  if (!records.is_live() || ::uname(&kernel) != 0) return std::nullopt;
  return std::string(kernel.machine);
}

}  // namespace

Processor read_processor(const Records& records) {
  Processor processor;
  processor.architecture = architecture(records);
  read_cpuinfo(records, processor);
  const auto cpus = online_cpus(records, processor);
  read_topology(records, cpus, processor);
  read_caches(records, cpus, processor);
  read_numa(records, processor);
  read_frequencies(records, cpus, processor);
  return processor;
}

}  // namespace neph::host
