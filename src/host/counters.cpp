#include "host/counters.hpp"

#include <array>

#include <fmt/format.h>
#include <unistd.h>

#include "host/counter_file.hpp"
#include "host/nvml.hpp"
#include "host/process_tree.hpp"
#include "host/thread_roles.hpp"
#include "os/cgroup.hpp"
#include "os/records.hpp"
#include "record/prometheus.hpp"

namespace neph::host {
namespace {

const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));

class Page {
 public:
  using Labels = decltype(CounterReading::labels);

  void counter(std::string_view name, std::string_view help, double value, Labels labels = {}) {
    page_.push_back({std::string(name), std::string(help), value, true, std::move(labels)});
  }
  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {}) {
    page_.push_back({std::string(name), std::string(help), value, false, std::move(labels)});
  }
  CounterReadings take() { return std::move(page_); }

 private:
  CounterReadings page_;
};

double count_entries(const std::filesystem::path& folder) {
  double count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    ++count;
  return count;
}

/// The memory file of the process's own control group, in v2's and v1's words.
std::filesystem::path memory_folder(const Records& records, bool& unified) {
  const auto hierarchies = read_hierarchies(records, "self");
  const auto* memory = find_controller(hierarchies, "memory");
  if (memory == nullptr || (memory->unified && memory->group.empty())) return {};
  unified = memory->unified;
  return memory->folders().front();
}

}  // namespace

struct Counters::Sources {
  Sources(const std::filesystem::path& root, const std::string& nvml_library)
      : records(root),
        tree(records, records.is_live() ? ::getpid() : 1),
        container_folder(memory_folder(records, container_unified)) {
    if (auto opened = Nvml::open(nvml_library)) nvml = *std::move(opened);
  }

  void process(Page& page) {
    tree.refresh();
    const auto* self = tree.root();
    roles.update(self, tree.walks());
    if (self == nullptr) return;
    const auto& counts = self->counts;
    page.counter(prometheus::process_cpu, "CPU time, user and system",
                 (counts.user_ticks + counts.system_ticks) * tick_s);
    page.counter(prometheus::process_cpu_user, "CPU time, user", counts.user_ticks * tick_s);
    page.counter(prometheus::process_cpu_system, "CPU time, system", counts.system_ticks * tick_s);
    for (std::size_t i = 0; i < role_names.size(); ++i)
      page.counter(prometheus::process_role_cpu,
                   "CPU time of threads by their role: loader decodes images, engine runs the model",
                   roles.of(static_cast<Role>(i)).run_s,
                   {{std::string(prometheus::role), std::string(role_names[i])}});
    page.gauge(prometheus::process_threads, "Threads", counts.threads);
    if (const auto boot = number_after(records.text("proc/stat").value_or(""), "btime"))
      page.gauge(prometheus::process_start_time, "Start, seconds since 1970",
                 static_cast<double>(*boot) + counts.start_ticks * tick_s);
    page.gauge(prometheus::process_open_fds, "Open file descriptors", count_entries(self->folder / "fd"));
    memory(page, self->folder / "status");
  }

  static void memory(Page& page, const std::filesystem::path& status) {
    CounterFile file(status, 4096);
    const auto text = file.read();
    const auto bytes = [&](std::string_view key) { return number_after(text.value_or(""), key); };
    const auto add = [&](std::string_view name, std::string_view help, std::string_view key) {
      if (const auto kibibytes = bytes(key)) page.gauge(name, help, 1024.0 * static_cast<double>(*kibibytes));
    };
    add(prometheus::process_resident_memory, "Memory in use", "VmRSS");
    add(prometheus::process_resident_memory_max, "Highest memory in use so far", "VmHWM");
    add(prometheus::process_virtual_memory, "Address space", "VmSize");
  }

  void machine(Page& page) const {
    static constexpr std::array<std::string_view, 8> modes = {
        prometheus::user, "nice", prometheus::system, prometheus::idle,
        "iowait",         "irq",  "softirq",          prometheus::steal};  // the kernel's order
    const auto stat = records.text("proc/stat").value_or("");
    Scanner scanner(stat);
    if (scanner.seek("cpu"))
      for (const auto mode : modes)
        if (const auto ticks = scanner.number())
          page.counter(prometheus::node_cpu, "CPU time of the machine, by what it was used for",
                       static_cast<double>(*ticks) * tick_s,
                       {{std::string(prometheus::mode), std::string(mode)}});
    const auto meminfo = records.text("proc/meminfo").value_or("");
    if (const auto total = kibibytes_of(meminfo, "MemTotal"))
      page.gauge(prometheus::node_memory_total, "Memory of the machine", static_cast<double>(*total));
    if (const auto available = kibibytes_of(meminfo, "MemAvailable"))
      page.gauge(prometheus::node_memory_available, "Memory that can still be had",
                 static_cast<double>(*available));
  }

  void container(Page& page) const {
    if (container_folder.empty()) return;
    const auto read = [&](const char* v2, const char* v1) {
      return records.number((container_folder / (container_unified ? v2 : v1)).string());
    };
    if (const auto now = read("memory.current", "memory.usage_in_bytes"))
      page.gauge(prometheus::container_memory, "Memory of the control group", static_cast<double>(*now));
    if (const auto peak = read("memory.peak", "memory.max_usage_in_bytes"))
      page.gauge(prometheus::container_memory_max, "Highest memory of the control group so far",
                 static_cast<double>(*peak));
  }

  void gpus(Page& page) const {
    for (int i = 0; nvml && i < nvml->device_count(); ++i) {
      const auto device = nvml->device(i);
      const Page::Labels labels{{std::string(prometheus::gpu), std::to_string(i)}};
      if (const auto percent = device.utilisation_percent())
        page.gauge(prometheus::gpu_utilisation, "Share of time with work, 0 to 1", *percent / 100, labels);
      if (const auto memory = device.memory()) {
        page.gauge(prometheus::gpu_memory_used, "Memory in use", static_cast<double>(memory->used), labels);
        page.gauge(prometheus::gpu_memory_total, "Memory", static_cast<double>(memory->total), labels);
      }
      if (const auto power = device.power_watt())
        page.gauge(prometheus::gpu_power, "Power, watt", *power, labels);
    }
  }

  Records records;
  ProcessTree tree;
  ThreadRoles roles;
  bool container_unified = false;
  std::filesystem::path container_folder;
  std::unique_ptr<Nvml> nvml;
};

Counters::Counters(const std::filesystem::path& root, const std::string& nvml_library)
    : sources_(std::make_unique<Sources>(root, nvml_library)) {}
Counters::~Counters() = default;

CounterReadings Counters::read() {
  Page page;
  sources_->process(page);
  sources_->machine(page);
  sources_->container(page);
  sources_->gpus(page);
  return page.take();
}

}  // namespace neph::host
