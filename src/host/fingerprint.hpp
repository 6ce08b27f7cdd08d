// What the machine is. Read once, from /proc, /sys and what cloud-init left, below a root path (so that tests
// use recorded trees) and, for GPUs, from NVIDIA's management library; nobody is asked over a network. An
// empty optional means "not known here".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "record/machine.hpp"

namespace neph::host {

struct Cache {
  std::string name;                    ///< L1d, L1i, L2, L3
  std::optional<std::int64_t> bytes;   ///< of one instance
  std::optional<std::int64_t> count;   ///< instances in the machine
  std::optional<std::int64_t> shared;  ///< logical processors that share one instance
};

template <class Visit, Describes<Cache> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "L1d, L1i, L2, L3");
  v("bytes", s.bytes, "size of one instance");
  v("count", s.count, "instances in the machine");
  v("shared", s.shared, "logical processors that share one instance");
}

struct NumaNode {
  std::int64_t id = 0;
  std::string cpus;                          ///< list as the kernel writes it: 0-3,8
  std::optional<std::int64_t> memory_bytes;  ///< of the node
};

template <class Visit, Describes<NumaNode> Self>
void describe(Visit&& v, Self& s) {
  v("id", s.id, "number of the node");
  v("cpus", s.cpus, "its logical processors");
  v("memory_bytes", s.memory_bytes, "its memory");
}

struct Processor {
  std::optional<std::string> architecture;  ///< x86_64, aarch64
  std::optional<std::string> vendor;
  std::optional<std::string> model;
  /// "EPYC Milan", "Xeon Ice Lake": by its family and model number, since virtual machines may hide its
  /// model.
  std::optional<std::string> generation;
  /// Those of the vector extensions that inference engines choose kernels by, in the kernel's words except
  /// neon, fp16, dotprod and i8mm, which Arm's own names say better than asimd, asimdhp, ...
  std::vector<std::string> features;
  std::optional<std::int64_t> sockets;
  std::optional<std::int64_t> cores;   ///< physical
  std::optional<std::int64_t> online;  ///< logical processors that are on
  std::optional<std::string> online_list;
  std::optional<bool> smt;  ///< some core carries more than one logical processor
  std::vector<Cache> caches;
  std::vector<NumaNode> numa;
  std::optional<double> base_hz;        ///< without boost
  std::optional<double> min_hz;         ///< the lowest the governor may choose
  std::optional<double> max_hz;         ///< the highest, boost included
  std::optional<double> current_hz;     ///< mean over the processors at the moment of asking
  std::optional<std::string> governor;  ///< performance, powersave, ...; "a, b" when processors differ
  std::optional<std::string> frequency_driver;
  std::optional<bool> boost;
};

template <class Visit, Describes<Processor> Self>
void describe(Visit&& v, Self& s) {
  v("architecture", s.architecture, "x86_64, aarch64");
  v("vendor", s.vendor, "who made it");
  v(machine_field::model, s.model, "its name");
  v(machine_field::generation, s.generation, "its kind and generation");
  v("features", s.features, "vector extensions that matter for inference");
  v("sockets", s.sockets, "packages");
  v("cores", s.cores, "physical cores");
  v(machine_field::online, s.online, "logical processors that are on");
  v("online_list", s.online_list, "their numbers");
  v("smt", s.smt, "whether a core carries several logical processors");
  v("caches", s.caches, "caches by level");
  v("numa", s.numa, "memory nodes");
  v("base_hz", s.base_hz, "frequency without boost");
  v("min_hz", s.min_hz, "lowest frequency allowed");
  v("max_hz", s.max_hz, "highest frequency allowed");
  v("current_hz", s.current_hz, "mean frequency when asked");
  v("governor", s.governor, "who chooses the frequency");
  v("frequency_driver", s.frequency_driver, "the kernel's driver for it");
  v("boost", s.boost, "whether it may exceed the base frequency");
}

struct Memory {
  std::optional<std::int64_t> total_bytes;
  std::optional<std::int64_t> available_bytes;  ///< the kernel's estimate of what can be had without swapping
  std::optional<std::int64_t> swap_bytes;
  std::optional<std::string> transparent_huge_pages;  ///< always, madvise, never
  std::optional<std::int64_t> page_bytes;
};

template <class Visit, Describes<Memory> Self>
void describe(Visit&& v, Self& s) {
  v("total_bytes", s.total_bytes, "memory of the machine");
  v("available_bytes", s.available_bytes, "could be had without swapping, when asked");
  v("swap_bytes", s.swap_bytes, "swap space");
  v("transparent_huge_pages", s.transparent_huge_pages, "always, madvise or never");
  v("page_bytes", s.page_bytes, "size of a page");
}

struct System {
  std::optional<std::string> name;    ///< host name
  std::optional<std::string> os;      ///< "Debian GNU/Linux 12 (bookworm)"
  std::optional<std::string> kernel;  ///< release
  std::optional<bool> virtual_machine;
  std::optional<std::string> hypervisor;     ///< KVM, VMware, Xen, ...; empty on bare metal
  std::optional<std::string> product;        ///< what the firmware calls the machine: "Amazon EC2 c6i.large"
  std::optional<std::string> provider;       ///< whose cloud it is in: "Amazon EC2"; empty: it does not tell
  std::optional<std::string> instance_type;  ///< what that calls the machine's size: "c6i.large"
  std::optional<std::string> clock_source;
  std::optional<std::string> libc;
  std::optional<std::string> compiler;  ///< that this program was built with
};

template <class Visit, Describes<System> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "host name");
  v("os", s.os, "operating system");
  v("kernel", s.kernel, "release of the kernel");
  v("virtual_machine", s.virtual_machine, "whether a hypervisor lies below");
  v("hypervisor", s.hypervisor, "which one");
  v("product", s.product, "what the firmware calls the machine");
  v("provider", s.provider, "whose cloud it is in, where it tells");
  v("instance_type", s.instance_type, "what the provider calls its size, where it tells");
  v("clock_source", s.clock_source, "what the kernel's clock reads");
  v("libc", s.libc, "version of the C library");
  v("compiler", s.compiler, "that built this program");
}

struct Container {
  std::optional<std::string> kind;      ///< none, docker, podman, kubernetes, lxc, or what systemd was told
  std::optional<std::string> evidence;  ///< what it was recognised by
  std::optional<std::string> cgroup_version;       ///< v1, v2, hybrid
  std::optional<double> cpu_quota_cores;           ///< tightest on the way up; empty: no quota
  std::optional<std::string> cpu_quota_from;       ///< the group that sets it
  std::optional<std::string> cpuset;               ///< processors the group may use; empty: not restricted
  std::optional<std::int64_t> memory_limit_bytes;  ///< tightest on the way up; empty: no limit
  std::optional<std::string> memory_limit_from;    ///< the group that sets it
};

template <class Visit, Describes<Container> Self>
void describe(Visit&& v, Self& s) {
  v("kind", s.kind, "none, docker, podman, kubernetes, lxc, ...");
  v("evidence", s.evidence, "what it was recognised by");
  v("cgroup_version", s.cgroup_version, "v1, v2 or hybrid");
  v("cpu_quota_cores", s.cpu_quota_cores, "CPU time allowed per time; null: no quota");
  v("cpu_quota_from", s.cpu_quota_from, "the control group that sets it");
  v("cpuset", s.cpuset, "processors it may use; null: not restricted");
  v("memory_limit_bytes", s.memory_limit_bytes, "memory allowed; null: no limit");
  v("memory_limit_from", s.memory_limit_from, "the control group that sets it");
}

struct GpuDevice {
  std::int64_t index = 0;
  std::optional<std::string> name;
  std::optional<std::int64_t> memory_bytes;
};

template <class Visit, Describes<GpuDevice> Self>
void describe(Visit&& v, Self& s) {
  v("index", s.index, "number of the device");
  v("name", s.name, "model");
  v("memory_bytes", s.memory_bytes, "its memory");
}

struct Gpus {
  std::optional<std::string> driver;  ///< version
  std::vector<GpuDevice> devices;
  std::string unavailable;  ///< why none could be asked: "no NVIDIA driver (...)"; empty if one could
};

template <class Visit, Describes<Gpus> Self>
void describe(Visit&& v, Self& s) {
  v("driver", s.driver, "version of the NVIDIA driver");
  v("devices", s.devices, "the devices");
  v("unavailable", s.unavailable, "why there is none; empty if there is one");
}

struct Fingerprint {
  Processor processor;
  Memory memory;
  System system;
  Container container;
  Gpus gpu;
  std::optional<std::string> affinity;  ///< processors this process may run on: 0-3,8
  std::optional<std::int64_t> affinity_count;
  std::optional<double> effective_cores;  ///< min(online, affinity, quota): what this process can keep busy
};

template <class Visit, Describes<Fingerprint> Self>
void describe(Visit&& v, Self& s) {
  v(machine_field::processor, s.processor, "the processor");
  v("memory", s.memory, "the memory");
  v("system", s.system, "what runs on it");
  v("container", s.container, "the container and its limits");
  v("gpu", s.gpu, "graphics processors");
  v("affinity", s.affinity, "processors this process may run on");
  v("affinity_count", s.affinity_count, "how many those are");
  v(machine_field::effective_cores, s.effective_cores, "cores this process can use");
}

struct FingerprintOptions {
  std::filesystem::path root = "/";                ///< below it lie proc, sys, etc and run
  std::string nvml_library = "libnvidia-ml.so.1";  ///< name or path; empty: do not ask for GPUs
};

/// Never fails: what cannot be read stays empty. Cost: 1 to 5 ms, plus the start of the NVIDIA driver.
Fingerprint take_fingerprint(const FingerprintOptions& options = {});

}  // namespace neph::host
