// The control group of the watched process: cpu.stat, memory.current and their v1 fellows
// (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/). Of nested groups the one that sets the quota, or the
// memory limit, is watched, because there the throttling happens; without a limit the process's own, and
// where nothing else is asked for.
#include <fmt/format.h>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"
#include "os/cgroup.hpp"

namespace neph::host {
namespace {

constexpr std::string_view no_group = "the process is in the root control group, which has no account";

std::string watched_folder(const Hierarchy& hierarchy, const std::optional<Bound>& bound) {
  return bound ? bound->folder : hierarchy.folders().front();
}

class Container final : public Source {
 public:
  Container(const Subject& subject, Recorder& recorder)
      : own_group_(subject.control_group_alone),
        cpu_(recorder.rate(subject.part(target::container), telemetry::cpu)),
        throttled_(recorder.rate(subject.part(target::container), telemetry::cpu_throttled)),
        throttled_periods_(recorder.rate(subject.part(target::container), telemetry::throttled_periods)),
        memory_(recorder.gauge(subject.part(target::container), telemetry::memory_current)),
        memory_peak_(recorder.gauge(subject.part(target::container), telemetry::memory_peak)),
        limit_hits_(recorder.rate(subject.part(target::container), telemetry::memory_limit_hits)) {
    const auto hierarchies = read_hierarchies(subject.records, fmt::format("{}", subject.pid));
    open_cpu(subject.records, hierarchies);
    open_memory(subject.records, hierarchies);
  }

  void sample(Moment now) override {
    sample_usage(now);
    sample_throttling(now);
    if (const auto bytes = number(current_file_, "")) memory_.record(now, *bytes);
    if (const auto bytes = number(peak_file_, "")) memory_peak_.record(now, *bytes);
    if (const auto hits = number(hits_file_, unified_memory_ ? "max" : "")) limit_hits_.count(now, *hits);
  }

 private:
  void open_cpu(const Records& records, const std::vector<Hierarchy>& hierarchies) {
    const auto* cpu = find_controller(hierarchies, "cpu");
    if (cpu != nullptr && !(cpu->unified && cpu->group.empty())) {
      unified_cpu_ = cpu->unified;
      const auto folder = watched_folder(*cpu, cpu_quota(records, bounding(hierarchies)));
      stat_file_ = open(records, folder + "/cpu.stat", {&throttled_, &throttled_periods_});
      if (unified_cpu_) cpu_.unavailable(stat_file_ ? "cpu.stat has no usage_usec" : "no cpu.stat");
    }
    if (const auto* account = find_controller(hierarchies, "cpuacct");
        account != nullptr && !account->unified)
      usage_file_ = open(records, account->folders().front() + "/cpuacct.usage", {&cpu_});
    for (auto* rate : {&cpu_, &throttled_, &throttled_periods_})
      if (!stat_file_ && !usage_file_) rate->unavailable(no_group);
  }

  void open_memory(const Records& records, const std::vector<Hierarchy>& hierarchies) {
    const auto* memory = find_controller(hierarchies, "memory");
    if (memory == nullptr || (memory->unified && memory->group.empty())) {
      memory_.unavailable(no_group);
      memory_peak_.unavailable(no_group);
      limit_hits_.unavailable(no_group);
      return;
    }
    unified_memory_ = memory->unified;
    const auto folder = watched_folder(*memory, memory_limit(records, bounding(hierarchies)));
    current_file_ =
        open(records, folder + (unified_memory_ ? "/memory.current" : "/memory.usage_in_bytes"), {});
    peak_file_ =
        open(records, folder + (unified_memory_ ? "/memory.peak" : "/memory.max_usage_in_bytes"), {});
    hits_file_ =
        open(records, folder + (unified_memory_ ? "/memory.events" : "/memory.failcnt"), {&limit_hits_});
    memory_.unavailable(folder + " does not tell");
    memory_peak_.unavailable(folder + " does not tell");  // memory.peak came with Linux 5.19
  }

  /// Those whose limits choose the group.
  std::vector<Hierarchy> bounding(const std::vector<Hierarchy>& hierarchies) const {
    return own_group_ ? std::vector<Hierarchy>{} : hierarchies;
  }

  static std::optional<CounterFile> open(const Records& records, const std::string& file,
                                         std::initializer_list<Rate*> rates) {
    CounterFile opened(records.path(file), 1024);
    if (opened.read()) return opened;
    for (auto* rate : rates) rate->unavailable(opened.why());
    return std::nullopt;
  }

  /// The number after `key`, or the file's only one.
  static std::optional<double> number(std::optional<CounterFile>& file, std::string_view key) {
    const auto text = file ? file->read() : std::nullopt;
    if (!text) return std::nullopt;
    const auto value = key.empty() ? Scanner(*text).number() : number_after(*text, key);
    if (!value) return std::nullopt;
    return static_cast<double>(*value);
  }

  void sample_usage(Moment now) {
    if (const auto ns = number(usage_file_, "")) return cpu_.count(now, *ns * 1e-9);
    if (!unified_cpu_) return;
    if (const auto us = number(stat_file_, "usage_usec")) cpu_.count(now, *us * 1e-6);
  }

  void sample_throttling(Moment now) {
    const auto periods = number(stat_file_, "nr_throttled");
    const auto time = number(stat_file_, unified_cpu_ ? "throttled_usec" : "throttled_time");
    if (periods) throttled_periods_.count(now, *periods);
    if (time) throttled_.count(now, *time * (unified_cpu_ ? 1e-6 : 1e-9));
    if (!periods || !time) {
      throttled_.unavailable("cpu.stat does not tell");
      throttled_periods_.unavailable("cpu.stat does not tell");
    }
  }

  bool own_group_;  ///< whatever groups around it limit
  Rate cpu_, throttled_, throttled_periods_;
  Gauge memory_, memory_peak_;
  Rate limit_hits_;
  bool unified_cpu_ = false;
  bool unified_memory_ = false;
  std::optional<CounterFile> stat_file_, usage_file_, current_file_, peak_file_, hits_file_;
};

}  // namespace

SourcePtr container(const Subject& subject, Recorder& recorder) {
  return std::make_unique<Container>(subject, recorder);
}

}  // namespace neph::host
