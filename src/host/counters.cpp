#include "host/counters.hpp"

#include <array>

#include <fmt/format.h>
#include <unistd.h>

#include "host/cgroup.hpp"
#include "host/counter_file.hpp"
#include "host/nvml.hpp"
#include "host/process_tree.hpp"
#include "host/records.hpp"
#include "host/thread_roles.hpp"

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
    page.counter("process_cpu_seconds_total", "Processor time, user and system",
                 (counts.user_ticks + counts.system_ticks) * tick_s);
    page.counter("process_cpu_user_seconds_total", "Processor time, user", counts.user_ticks * tick_s);
    page.counter("process_cpu_system_seconds_total", "Processor time, system", counts.system_ticks * tick_s);
    for (std::size_t i = 0; i < role_names.size(); ++i)
      page.counter("process_role_cpu_seconds_total",
                   "Processor time of threads by their role: loader decodes pictures, engine runs the model",
                   roles.of(static_cast<Role>(i)).run_s, {{"role", std::string(role_names[i])}});
    page.gauge("process_threads", "Threads", counts.threads);
    if (const auto boot = number_after(records.text("proc/stat").value_or(""), "btime"))
      page.gauge("process_start_time_seconds", "Start, seconds since 1970",
                 static_cast<double>(*boot) + counts.start_ticks * tick_s);
    page.gauge("process_open_fds", "Open file descriptors", count_entries(self->folder / "fd"));
    memory(page, self->folder / "status");
  }

  static void memory(Page& page, const std::filesystem::path& status) {
    CounterFile file(status, 4096);
    const auto text = file.read();
    const auto bytes = [&](std::string_view key) { return number_after(text.value_or(""), key); };
    const auto add = [&](std::string_view name, std::string_view help, std::string_view key) {
      if (const auto kibibytes = bytes(key)) page.gauge(name, help, 1024.0 * static_cast<double>(*kibibytes));
    };
    add("process_resident_memory_bytes", "Memory in use", "VmRSS");
    add("process_resident_memory_max_bytes", "Highest memory in use so far", "VmHWM");
    add("process_virtual_memory_bytes", "Address space", "VmSize");
  }

  void machine(Page& page) const {
    static constexpr std::array modes = {"user",   "nice", "system",  "idle",
                                         "iowait", "irq",  "softirq", "steal"};
    const auto stat = records.text("proc/stat").value_or("");
    Scanner scanner(stat);
    if (scanner.seek("cpu"))
      for (const char* mode : modes)
        if (const auto ticks = scanner.number())
          page.counter("node_cpu_seconds_total", "Processor time of the machine, by what it was used for",
                       static_cast<double>(*ticks) * tick_s, {{"mode", mode}});
    const auto meminfo = records.text("proc/meminfo").value_or("");
    if (const auto total = kibibytes_of(meminfo, "MemTotal"))
      page.gauge("node_memory_MemTotal_bytes", "Memory of the machine", static_cast<double>(*total));
    if (const auto available = kibibytes_of(meminfo, "MemAvailable"))
      page.gauge("node_memory_MemAvailable_bytes", "Memory that can still be had",
                 static_cast<double>(*available));
  }

  void container(Page& page) const {
    if (container_folder.empty()) return;
    const auto read = [&](const char* v2, const char* v1) {
      return records.number((container_folder / (container_unified ? v2 : v1)).string());
    };
    if (const auto now = read("memory.current", "memory.usage_in_bytes"))
      page.gauge("container_memory_usage_bytes", "Memory of the control group", static_cast<double>(*now));
    if (const auto peak = read("memory.peak", "memory.max_usage_in_bytes"))
      page.gauge("container_memory_max_usage_bytes", "Highest memory of the control group so far",
                 static_cast<double>(*peak));
  }

  void gpus(Page& page) const {
    for (int i = 0; nvml && i < nvml->device_count(); ++i) {
      const auto device = nvml->device(i);
      const Page::Labels labels{{"gpu", fmt::format("{}", i)}};
      if (const auto percent = device.utilisation_percent())
        page.gauge("nv_gpu_utilization", "Share of time with work, 0 to 1", *percent / 100, labels);
      if (const auto memory = device.memory()) {
        page.gauge("nv_gpu_memory_used_bytes", "Memory in use", static_cast<double>(memory->used), labels);
        page.gauge("nv_gpu_memory_total_bytes", "Memory", static_cast<double>(memory->total), labels);
      }
      if (const auto power = device.power_watt())
        page.gauge("nv_gpu_power_usage", "Power, watt", *power, labels);
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
