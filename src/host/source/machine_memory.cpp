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
        cache_(recorder.gauge(target::machine, telemetry::page_cache)),
        occupied_(recorder.gauge(target::machine, telemetry::memory_occupied)),
        free_(recorder.gauge(target::machine, telemetry::memory_free)),
        buffers_(recorder.gauge(target::machine, telemetry::memory_buffers)),
        cached_(recorder.gauge(target::machine, telemetry::memory_cached)) {}

  void sample(Moment now) override {
    const auto text = meminfo_.read();
    const auto kibibytes = [&](std::string_view key) { return number_after(text.value_or(""), key); };
    const auto total = kibibytes("MemTotal");
    const auto available = kibibytes("MemAvailable");
    const auto buffers = kibibytes("Buffers");
    const auto cached = kibibytes("Cached");
    if (!total || !available || !buffers || !cached) {
      const auto reason = text ? "/proc/meminfo does not tell" : meminfo_.why();
      for (auto* gauge : {&used_, &available_, &cache_, &occupied_, &free_, &buffers_, &cached_})
        gauge->unavailable(reason);
      return;
    }
    used_.record(now, 1024.0 * static_cast<double>(*total - *available));
    available_.record(now, 1024.0 * static_cast<double>(*available));
    cache_.record(now, 1024.0 * static_cast<double>(*buffers + *cached));
    buffers_.record(now, 1024.0 * static_cast<double>(*buffers));
    cached_.record(now, 1024.0 * static_cast<double>(*cached));
    const auto free = kibibytes("MemFree");
    const auto shared = kibibytes("Shmem");
    const auto reclaimable = kibibytes("SReclaimable");
    if (free) free_.record(now, 1024.0 * static_cast<double>(*free));
    if (!free || !shared || !reclaimable)
      return occupied_.unavailable("/proc/meminfo tells no MemFree, Shmem or SReclaimable");
    occupied_.record(now, 1024.0 * (static_cast<double>(*total + *shared) -
                                    static_cast<double>(*free + *buffers + *cached + *reclaimable)));
  }

 private:
  CounterFile meminfo_;
  Gauge used_, available_, cache_, occupied_, free_, buffers_, cached_;
};

}  // namespace

SourcePtr machine_memory(const Subject& subject, Recorder& recorder) {
  return std::make_unique<MachineMemory>(subject, recorder);
}

}  // namespace neph::host
