// Clock frequency and heat of the processors: cpufreq and thermal_throttle below /sys/devices/system/cpu.
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class Frequency final : public Source {
 public:
  Frequency(const Subject& subject, Recorder& recorder)
      : frequency_(recorder.gauge(target::machine, telemetry::cpu_frequency)),
        throttle_(recorder.rate(target::machine, telemetry::thermal_throttle)) {
    const auto cpus = subject.records.numbered("sys/devices/system/cpu", "cpu");
    // Some drivers ask each processor for its frequency: a spread of them says as much as all.
    const auto step = (cpus.size() + most_frequencies - 1) / most_frequencies;
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      const auto folder = fmt::format("sys/devices/system/cpu/cpu{}", cpus[i]);
      if (i % step == 0) add(subject.records, folder + "/cpufreq/scaling_cur_freq", frequencies_);
      add(subject.records, folder + "/thermal_throttle/core_throttle_count", throttles_);
    }
    if (frequencies_.empty()) frequency_.unavailable("no processor has cpufreq/scaling_cur_freq");
    if (throttles_.empty()) throttle_.unavailable("no processor has thermal_throttle/core_throttle_count");
  }

  void sample(Moment now) override {
    if (const auto kilohertz = sum(frequencies_))
      frequency_.record(now, *kilohertz * 1e3 / static_cast<double>(frequencies_.size()));
    if (const auto events = sum(throttles_)) throttle_.count(now, *events);
  }

  Nanoseconds spacing() const override { return std::chrono::milliseconds(450); }

 private:
  static void add(const Records& records, const std::string& file, std::vector<CounterFile>& files) {
    if (records.exists(file)) files.emplace_back(records.path(file), 32);
  }

  static std::optional<double> sum(std::vector<CounterFile>& files) {
    double total = 0;
    for (auto& file : files) {
      const auto text = file.read();
      const auto number = text ? Scanner(*text).number() : std::nullopt;
      if (!number) return std::nullopt;  // a processor went offline: half a sum would be wrong
      total += static_cast<double>(*number);
    }
    if (files.empty()) return std::nullopt;
    return total;
  }

  static constexpr std::size_t most_frequencies = 16;
  std::vector<CounterFile> frequencies_;
  std::vector<CounterFile> throttles_;
  Gauge frequency_;
  Rate throttle_;
};

}  // namespace

SourcePtr frequency(const Subject& subject, Recorder& recorder) {
  return std::make_unique<Frequency>(subject, recorder);
}

}  // namespace neph::host
