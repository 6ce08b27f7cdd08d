// Memory of the whole machine: /proc/meminfo.
#include "host/counter_file.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class MachineMemory final : public Source {
 public:
  MachineMemory(const Subject& subject, Recorder& recorder)
      : meminfo_(subject.records.path("proc/meminfo"), 4096),
        used_(recorder.gauge(target::machine, telemetry::memory_used)),
        available_(recorder.gauge(target::machine, telemetry::memory_available)),
        cache_(recorder.gauge(target::machine, telemetry::page_cache)) {}

  void sample(Moment now) override {
    const auto text = meminfo_.read();
    const auto kibibytes = [&](std::string_view key) { return number_after(text.value_or(""), key); };
    const auto total = kibibytes("MemTotal");
    const auto available = kibibytes("MemAvailable");
    const auto buffers = kibibytes("Buffers");
    const auto cached = kibibytes("Cached");
    if (!total || !available || !buffers || !cached) {
      const auto reason = text ? "/proc/meminfo does not tell" : meminfo_.why();
      for (auto* gauge : {&used_, &available_, &cache_}) gauge->unavailable(reason);
      return;
    }
    used_.record(now, 1024.0 * static_cast<double>(*total - *available));
    available_.record(now, 1024.0 * static_cast<double>(*available));
    cache_.record(now, 1024.0 * static_cast<double>(*buffers + *cached));
  }

 private:
  CounterFile meminfo_;
  Gauge used_, available_, cache_;
};

}  // namespace

SourcePtr machine_memory(const Subject& subject, Recorder& recorder) {
  return std::make_unique<MachineMemory>(subject, recorder);
}

}  // namespace neph::host
