// CPU time of the whole machine and its run queue: /proc/stat and /proc/loadavg (proc(5)).
#include <array>

#include <unistd.h>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class MachineCpu final : public Source {
 public:
  MachineCpu(const Subject& subject, Recorder& recorder)
      : stat_(subject.records.path("proc/stat"), 4096),
        loadavg_(subject.records.path("proc/loadavg"), 128),
        user_(recorder.rate(target::machine, telemetry::cpu_user, tick_s)),
        system_(recorder.rate(target::machine, telemetry::cpu_system, tick_s)),
        interrupts_(recorder.rate(target::machine, telemetry::cpu_interrupts, tick_s)),
        iowait_(recorder.rate(target::machine, telemetry::cpu_iowait, tick_s)),
        steal_(recorder.rate(target::machine, telemetry::cpu_steal, tick_s)),
        idle_(recorder.rate(target::machine, telemetry::cpu_idle, tick_s)),
        switches_(recorder.rate(target::machine, telemetry::context_switches)),
        run_queue_(recorder.gauge(target::machine, telemetry::run_queue)) {}

  void sample(Moment now) override {
    sample_stat(now);
    sample_run_queue(now);
  }

 private:
  void sample_stat(Moment now) {
    const auto text = stat_.read();
    Scanner scanner(text.value_or(""));
    // user nice system idle iowait irq softirq steal guest guest_nice; guest time is inside user and nice.
    std::array<double, 8> ticks{};
    bool complete = scanner.seek("cpu");
    for (auto& tick : ticks) {
      const auto number = complete ? scanner.number() : std::nullopt;
      complete = number.has_value();
      tick = static_cast<double>(number.value_or(0));
    }
    if (!complete) {
      const auto reason = text ? "/proc/stat: its line 'cpu' has not eight numbers" : stat_.why();
      for (auto* rate : {&user_, &system_, &interrupts_, &iowait_, &steal_, &idle_, &switches_})
        rate->unavailable(reason);
      return;
    }
    user_.count(now, ticks[0] + ticks[1]);
    system_.count(now, ticks[2] + ticks[5] + ticks[6]);
    interrupts_.count(now, ticks[5] + ticks[6]);
    idle_.count(now, ticks[3]);
    iowait_.count(now, ticks[4]);
    steal_.count(now, ticks[7]);
    if (const auto switches = number_after(scanner.rest(), "ctxt"))
      switches_.count(now, static_cast<double>(*switches));
    else
      switches_.unavailable("/proc/stat has no line 'ctxt'");
  }

  void sample_run_queue(Moment now) {  // "0.21 0.11 0.08 3/101 8670": the fourth word is running/all
    const auto text = loadavg_.read();
    if (!text) return run_queue_.unavailable(loadavg_.why());
    Scanner scanner(*text);
    scanner.skip(3);
    if (const auto running = scanner.number()) run_queue_.record(now, static_cast<double>(*running));
  }

  static inline const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  CounterFile stat_;
  CounterFile loadavg_;
  Rate user_, system_, interrupts_, iowait_, steal_, idle_, switches_;
  Gauge run_queue_;
};

}  // namespace

SourcePtr machine_cpu(const Subject& subject, Recorder& recorder) {
  return std::make_unique<MachineCpu>(subject, recorder);
}

}  // namespace neph::host
