#include "host/fingerprint.hpp"

#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.hpp"
#include "os/recorded_tree.hpp"
#include "os/records.hpp"

namespace neph::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

Fingerprint of(const RecordedTree& tree) {
  return take_fingerprint({.root = tree.root(), .nvml_library = ""});
}

// Two sockets of two cores of two threads, as Linux numbers them: 0,1 | 2,3 and their siblings 4,5 | 6,7.
void write_server(const RecordedTree& tree) {
  tree.write("proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6430\n"
             "flags\t\t: fpu sse4_2 avx f16c fma avx2 avx512f avx512_vnni amx_tile amx_int8 amx_bf16\n");
  tree.write("sys/devices/system/cpu/online", "0-7\n");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const int core = cpu % 4;
    tree.write_cpu({.number = cpu,
                    .socket = core / 2,
                    .siblings = fmt::format("{},{}", core, core + 4),
                    .package = core < 2 ? "0-1,4-5" : "2-3,6-7"});
    const auto folder = fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/", cpu);
    tree.write(folder + "scaling_governor", cpu == 7 ? "performance\n" : "powersave\n");
    tree.write(folder + "scaling_cur_freq", cpu < 4 ? "3000000\n" : "2000000\n");
    tree.write(folder + "scaling_min_freq", "800000\n");
    tree.write(folder + "scaling_max_freq", "3400000\n");
    tree.write(folder + "base_frequency", "2100000\n");
    tree.write(folder + "scaling_driver", "intel_pstate\n");
  }
  tree.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  for (int node = 0; node < 2; ++node) {
    const auto folder = fmt::format("sys/devices/system/node/node{}/", node);
    tree.write(folder + "cpulist", node == 0 ? "0-1,4-5\n" : "2-3,6-7\n");
    tree.write(folder + "meminfo",
               fmt::format("Node {0} MemTotal: 65536 kB\nNode {0} MemFree: 1 kB\n", node));
  }
  tree.write("proc/meminfo",
             "MemTotal: 131072 kB\nMemFree: 1 kB\nMemAvailable: 100000 kB\nSwapTotal: 2048 kB\n");
  tree.write("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n");
  tree.write("proc/self/cgroup", "0::/user.slice\n");
  tree.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.write("sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory\n");
  tree.write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  tree.write("proc/sys/kernel/arch", "x86_64\n");
  tree.write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
}

TEST(Fingerprint, BareServerWithTwoSockets) {
  const RecordedTree tree;
  write_server(tree);
  tree.write("sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
  tree.write("sys/class/dmi/id/product_name", "PowerEdge R760\n");
  const auto machine = of(tree);
  const auto& processor = machine.processor;
  EXPECT_EQ(processor.model, "Intel(R) Xeon(R) Gold 6430");
  EXPECT_THAT(processor.features, ElementsAre("sse4_2", "avx", "f16c", "fma", "avx2", "avx512f",
                                              "avx512_vnni", "amx_tile", "amx_int8", "amx_bf16"));
  EXPECT_EQ(processor.sockets, 2);
  EXPECT_EQ(processor.cores, 4);
  EXPECT_EQ(processor.online, 8);
  EXPECT_EQ(processor.smt, true);
  ASSERT_EQ(processor.caches.size(), 4U);
  EXPECT_EQ(processor.caches[2].name, "L2");
  EXPECT_EQ(processor.caches[2].bytes, 2 << 20);
  EXPECT_EQ(processor.caches[2].count, 4);
  EXPECT_EQ(processor.caches[2].shared, 2);
  EXPECT_EQ(processor.caches[3].count, 2);
  EXPECT_EQ(processor.caches[3].shared, 4);
  ASSERT_EQ(processor.numa.size(), 2U);
  EXPECT_EQ(processor.numa[1].cpus, "2-3,6-7");
  EXPECT_EQ(processor.numa[1].memory_bytes, 64 << 20);
  EXPECT_EQ(processor.governor, "performance, powersave");
  EXPECT_EQ(processor.current_hz, 2.5e9);
  EXPECT_EQ(processor.base_hz, 2.1e9);
  EXPECT_EQ(processor.max_hz, 3.4e9);
  EXPECT_EQ(processor.boost, true);
  EXPECT_EQ(machine.memory.total_bytes, 128 << 20);
  EXPECT_EQ(machine.memory.swap_bytes, 2 << 20);
  EXPECT_EQ(machine.system.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine.system.virtual_machine, false);
  EXPECT_EQ(machine.system.hypervisor, std::nullopt);
  EXPECT_EQ(machine.system.product, "Dell Inc. PowerEdge R760");
  EXPECT_EQ(machine.container.kind, "none");
  EXPECT_EQ(machine.container.cgroup_version, "v2");
  EXPECT_EQ(machine.container.cpu_quota_cores, std::nullopt);
  EXPECT_EQ(machine.effective_cores, 8);
}

TEST(Fingerprint, VirtualMachine) {
  const RecordedTree tree;
  write_server(tree);
  tree.write("proc/cpuinfo", "model name\t: AMD EPYC\nflags\t\t: fpu avx2 hypervisor\n");
  tree.write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  tree.write("sys/class/dmi/id/product_name", "m6i.large\n");
  const auto machine = of(tree);
  EXPECT_EQ(machine.system.virtual_machine, true);
  EXPECT_EQ(machine.system.hypervisor, "KVM");
  EXPECT_EQ(machine.system.product, "Amazon EC2 m6i.large");
}

/// The provider and the type of a machine whose firmware says this.
std::pair<std::optional<std::string>, std::optional<std::string>> cloud_of(
    const std::map<std::string, std::string>& firmware, const std::string& cloud_init = "") {
  const RecordedTree tree;
  write_server(tree);
  for (const auto& [name, text] : firmware) tree.write("sys/class/dmi/id/" + name, text + "\n");
  if (!cloud_init.empty()) tree.write("run/cloud-init/instance-data.json", cloud_init);
  const auto system = of(tree).system;
  return {system.provider, system.instance_type};
}

TEST(Fingerprint, KnowsAProviderByItsFirmware) {
  using testing::Pair;
  constexpr auto unknown = std::nullopt;
  EXPECT_THAT(cloud_of({{"sys_vendor", "Amazon EC2"}, {"product_name", "m5.large"}}),
              Pair("Amazon EC2", "m5.large"));
  EXPECT_THAT(cloud_of({{"sys_vendor", "Amazon EC2"}, {"product_name", "c6i.metal"}}),
              Pair("Amazon EC2", "c6i.metal"));
  EXPECT_THAT(
      cloud_of({{"sys_vendor", "Xen"}, {"product_name", "HVM domU"}, {"bios_version", "4.11.amazon"}}),
      Pair("Amazon EC2", unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "Google"}, {"product_name", "Google Compute Engine"}}),
              Pair("Google Compute Engine", unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "Microsoft Corporation"},
                        {"product_name", "Virtual Machine"},
                        {"chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77"}}),
              Pair("Microsoft Azure", unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "DigitalOcean"}, {"product_name", "Droplet"}}),
              Pair("DigitalOcean", unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "Hetzner"}, {"product_name", "vServer"}}), Pair("Hetzner", unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "Selectel"}}), Pair("Selectel", unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "OpenStack Foundation"}, {"product_name", "OpenStack Nova"}}),
              Pair("OpenStack", unknown));
}

TEST(Fingerprint, DoesNotGuessAProvider) {
  using testing::Pair;
  constexpr auto unknown = std::nullopt;
  EXPECT_THAT(cloud_of({}), Pair(unknown, unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "Dell Inc."}, {"product_name", "PowerEdge R760"}}),
              Pair(unknown, unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "Google"}, {"product_name", "Eve"}}), Pair(unknown, unknown))
      << "a laptop";
  EXPECT_THAT(cloud_of({{"sys_vendor", "Microsoft Corporation"}, {"product_name", "Virtual Machine"}}),
              Pair(unknown, unknown))
      << "Hyper-V anywhere";
  EXPECT_THAT(cloud_of({{"sys_vendor", "QEMU"}}, R"({"v1": {"cloud_name": "nocloud"}})"),
              Pair(unknown, unknown));
  EXPECT_THAT(cloud_of({{"sys_vendor", "Hetzner"}}, "{ no JSON"), Pair("Hetzner", unknown));
}

TEST(Fingerprint, ReadsTheInstanceTypeThatCloudInitWroteDown) {
  using testing::Pair;
  const std::map<std::string, std::string> azure{{"chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77"}};
  EXPECT_THAT(cloud_of(azure, R"({"v1": {"cloud_name": "azure"},
                                  "ds": {"meta_data": {"imds": {"compute": {"vmSize": "Standard_D2s_v3"}}}}})"),
              Pair("Microsoft Azure", "Standard_D2s_v3"));
  EXPECT_THAT(cloud_of(azure, R"({"ds": {"meta_data": {"imds": "redacted for non-root user"}}})"),
              Pair("Microsoft Azure", std::nullopt));
  EXPECT_THAT(
      cloud_of({}, R"({"v1": {"cloud_name": "aws"}, "ds": {"meta_data": {"instance-type": "a1.large"}}})"),
      Pair("Amazon EC2", "a1.large"))
      << "Arm without DMI";
  EXPECT_THAT(cloud_of({{"product_name", "OpenStack Nova"}},
                       R"({"ds": {"ec2_metadata": {"instance-type": "m1.small"}}})"),
              Pair("OpenStack", "m1.small"));
}

TEST(Fingerprint, DockerContainerUnderV1) {
  const RecordedTree tree;
  write_server(tree);
  tree.write(".dockerenv", "");
  tree.write("proc/self/cgroup", "5:memory:/docker/4f\n4:cpuset:/docker/4f\n1:cpu,cpuacct:/docker/4f\n");
  tree.write("proc/self/mountinfo",
             "32 31 0:29 /docker/4f /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
             "33 31 0:30 /docker/4f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
             "34 31 0:31 /docker/4f /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n");
  tree.write("sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0-3\n");
  tree.write("proc/self/status", "Cpus_allowed_list:\t0-3\n");
  const auto machine = of(tree);
  EXPECT_EQ(machine.container.kind, "docker");
  EXPECT_EQ(machine.container.cgroup_version, "v1");
  EXPECT_EQ(machine.container.cpu_quota_cores, 2.5);
  EXPECT_EQ(machine.container.cpu_quota_from, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(machine.container.memory_limit_bytes, 64 << 20);
  EXPECT_EQ(machine.container.cpuset, "0-3");
  EXPECT_EQ(machine.affinity_count, 4);
  EXPECT_EQ(machine.effective_cores, 2.5);
}

TEST(Fingerprint, KubernetesPodUnderV2) {
  const RecordedTree tree;
  write_server(tree);
  tree.write("var/run/secrets/kubernetes.io/serviceaccount/namespace", "default");
  tree.write("proc/self/cgroup", "0::/\n");
  tree.write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  tree.write("sys/fs/cgroup/memory.max", "999999999999\n");
  tree.write("sys/fs/cgroup/cpuset.cpus.effective", "0-7\n");
  tree.write("proc/self/status", "Cpus_allowed_list:\t2\n");
  const auto machine = of(tree);
  EXPECT_EQ(machine.container.kind, "kubernetes");
  EXPECT_EQ(machine.container.cpu_quota_cores, 3);
  EXPECT_EQ(machine.container.memory_limit_bytes, std::nullopt) << "more than the machine has is no limit";
  EXPECT_EQ(machine.container.cpuset, std::nullopt) << "all processors is no restriction";
  EXPECT_EQ(machine.effective_cores, 1);
}

TEST(Fingerprint, GenerationOfAProcessorThatHidesItsModel) {
  const auto generation = [](const char* vendor, int family, int model, int stepping) {
    const RecordedTree tree;
    tree.write("proc/cpuinfo",
               fmt::format("vendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\nmodel name\t: hidden\n"
                           "stepping\t: {}\n",
                           vendor, family, model, stepping));
    return of(tree).processor.generation;
  };
  EXPECT_EQ(generation("AuthenticAMD", 25, 1, 1), "EPYC Milan");
  EXPECT_EQ(generation("AuthenticAMD", 25, 17, 1), "EPYC Genoa");
  EXPECT_EQ(generation("GenuineIntel", 6, 85, 4), "Xeon Skylake");
  EXPECT_EQ(generation("GenuineIntel", 6, 85, 7), "Xeon Cascade Lake");
  EXPECT_EQ(generation("GenuineIntel", 6, 9, 0), std::nullopt);
  EXPECT_EQ(generation("GenuineIntel", 6, 85, 11), std::nullopt);
  EXPECT_EQ(generation("GenuineIntel", 25, 1, 1), std::nullopt);
}

TEST(Fingerprint, ArmMachine) {
  const RecordedTree tree;
  tree.write("proc/cpuinfo",
             "processor\t: 0\nBogoMIPS\t: 2100.00\n"
             "Features\t: fp asimd fphp asimdhp asimddp sve i8mm bf16 svei8mm svebf16\n"
             "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n");
  tree.write("sys/devices/system/cpu/online", "0-1\n");
  for (int cpu = 0; cpu < 2; ++cpu)
    tree.write_cpu({.number = cpu, .socket = -1, .siblings = fmt::format("{}", cpu), .package = "0-1"});
  const auto machine = of(tree);
  EXPECT_EQ(machine.processor.model, "Neoverse-V1");
  EXPECT_EQ(machine.processor.vendor, "ARM");
  EXPECT_THAT(machine.processor.features,
              ElementsAre("neon", "fp16", "dotprod", "i8mm", "bf16", "sve", "svei8mm", "svebf16"));
  EXPECT_EQ(machine.processor.sockets, std::nullopt) << "-1: the firmware does not tell";
  EXPECT_EQ(machine.processor.cores, 2);
  EXPECT_EQ(machine.processor.smt, false);
  EXPECT_EQ(machine.system.virtual_machine, std::nullopt);
}

TEST(Fingerprint, OfAnEmptyTreeKnowsNothingAndSaysNoZero) {
  const RecordedTree tree;
  auto machine = of(tree);
  machine.system.libc.reset();  // these two tell of the program, not of the tree
  machine.system.compiler.reset();
  EXPECT_EQ(to_json(machine), to_json(Fingerprint{.gpu = {.unavailable = "not asked for"}}));
}

TEST(Fingerprint, GoesThroughJson) {
  const auto machine = take_fingerprint({.nvml_library = ""});
  const auto json = to_json(machine);
  const auto back = from_json<Fingerprint>(json, "machine");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back), json);
}

std::string output_of(const char* command) {
  std::string text;
  FILE* pipe = ::popen(command, "r");
  std::array<char, 4096> part{};
  while (const auto size = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), size);
  ::pclose(pipe);
  return text;
}

void collect_fields(const Json& rows, std::map<std::string, std::string>& fields) {
  for (const auto& row : rows) {
    if (row["data"].is_string()) fields[row["field"]] = row["data"];
    if (row.contains("children")) collect_fields(row["children"], fields);
  }
}

TEST(FingerprintLive, AgreesWithLscpu) {
  const auto json = parse_json(output_of("LC_ALL=C lscpu -J"), "lscpu");
  ASSERT_TRUE(json) << json.error().message;
  std::map<std::string, std::string> lscpu;
  collect_fields((*json)["lscpu"], lscpu);
  const auto machine = take_fingerprint({.nvml_library = ""});
  const auto& processor = machine.processor;
  EXPECT_EQ(machine.processor.architecture, lscpu["Architecture:"]);
  EXPECT_EQ(processor.model, lscpu["Model name:"]);
  EXPECT_EQ(to_cpus(*processor.online_list), to_cpus(lscpu["On-line CPU(s) list:"]));
  EXPECT_EQ(fmt::format("{}", processor.sockets.value_or(0)), lscpu["Socket(s):"]);
  EXPECT_EQ(*processor.cores, std::stoll(lscpu["Core(s) per socket:"]) * *processor.sockets);
  EXPECT_EQ(processor.smt, lscpu["Thread(s) per core:"] != "1");
  EXPECT_EQ(fmt::format("{}", processor.numa.size()), lscpu["NUMA node(s):"]);
  if (lscpu.contains("Hypervisor vendor:")) {
    EXPECT_EQ(machine.system.hypervisor, lscpu["Hypervisor vendor:"]);
  }
  const std::string flags = " " + lscpu["Flags:"] + " ";
  for (const auto* feature :
       {"avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_int8", "amx_bf16"}) {
    const bool listed = flags.find(fmt::format(" {} ", feature)) != flags.npos;
    EXPECT_EQ(std::count(processor.features.begin(), processor.features.end(), feature), listed ? 1 : 0)
        << feature;
  }
}

TEST(FingerprintLive, AgreesWithLscpuAboutCaches) {
  const auto json = parse_json(output_of("LC_ALL=C lscpu -J -B -C"), "lscpu");
  ASSERT_TRUE(json) << json.error().message;
  const auto machine = take_fingerprint({.nvml_library = ""});
  ASSERT_EQ((*json)["caches"].size(), machine.processor.caches.size());
  for (const auto& row : (*json)["caches"]) {
    const auto number = [&](const char* key) {
      return row[key].is_string() ? std::stoll(row[key].get<std::string>()) : row[key].get<std::int64_t>();
    };
    const auto cache =
        std::find_if(machine.processor.caches.begin(), machine.processor.caches.end(),
                     [&](const Cache& one) { return one.name == row["name"].get<std::string>(); });
    ASSERT_NE(cache, machine.processor.caches.end()) << row["name"];
    EXPECT_EQ(cache->bytes, number("one-size")) << row["name"];
    EXPECT_EQ(*cache->bytes * *cache->count, number("all-size")) << row["name"];
  }
}

TEST(FingerprintLive, AgreesWithFreeAndNproc) {
  const auto machine = take_fingerprint({.nvml_library = ""});
  EXPECT_EQ(machine.memory.total_bytes, std::stoll(output_of("LC_ALL=C free -b | awk '/^Mem:/ {print $2}'")));
  EXPECT_EQ(machine.affinity_count,
            std::stoll(output_of("env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc")));
  EXPECT_EQ(machine.system.kernel, output_of("printf %s \"$(uname -r)\""));
  EXPECT_GE(machine.effective_cores, 0.01);
}

TEST(FingerprintLive, WithoutADriverItSaysSo) {
  const auto machine = take_fingerprint({.nvml_library = "libneph-no-such-driver.so.1"});
  EXPECT_THAT(machine.gpu.devices, IsEmpty());
  EXPECT_THAT(machine.gpu.unavailable, testing::StartsWith("no NVIDIA driver (libneph-no-such-driver.so.1"));
}

}  // namespace
}  // namespace neph::host
