// NVIDIA devices, by NVML. The driver is started at the first reading, in the sampler's thread, because that
// may take a second.
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "host/nvml.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class Device {
 public:
  Device(Recorder& recorder, const std::string& target)
      : utilisation_(recorder.gauge(target, telemetry::utilisation)),
        memory_(recorder.gauge(target, telemetry::memory_used)),
        power_(recorder.gauge(target, telemetry::power)),
        clock_(recorder.gauge(target, telemetry::clock_sm)),
        temperature_(recorder.gauge(target, telemetry::temperature)),
        heat_(recorder.gauge(target, telemetry::throttled_by_heat)),
        limit_(recorder.gauge(target, telemetry::throttled_by_power)) {}

  void unavailable(const std::string& reason) {
    for (auto* gauge : {&utilisation_, &memory_, &power_, &clock_, &temperature_, &heat_, &limit_})
      gauge->unavailable(reason);
  }

  void sample(Moment now, const NvmlDevice& device) {
    put(now, utilisation_, device.utilisation_percent());
    put(now, memory_,
        device.memory().map([](const GpuMemory& memory) { return static_cast<double>(memory.used); }));
    put(now, power_, device.power_watt());
    put(now, clock_, device.clock_sm_hz());
    put(now, temperature_, device.temperature_celsius());
    const auto reasons = device.throttle_reasons();
    const auto any_of = [](std::uint64_t bits) {
      return [bits](std::uint64_t reason) { return (reason & bits) != 0 ? 1.0 : 0.0; };
    };
    put(now, heat_, reasons.map(any_of(throttled_by_heat_bits)));
    put(now, limit_, reasons.map(any_of(throttled_by_power_bits)));
  }

 private:
  static void put(Moment now, Gauge& gauge, const Result<double>& value) {
    if (value)
      gauge.record(now, *value);
    else
      gauge.unavailable(value.error().message);
  }

  Gauge utilisation_, memory_, power_, clock_, temperature_, heat_, limit_;
};

class Gpus final : public Source {
 public:
  Gpus(const Subject& subject, Recorder& recorder) : library_(subject.nvml_library), recorder_(&recorder) {}

  void sample(Moment now) override {
    if (!asked_) return open();
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (nvml_) devices_[i].sample(now, nvml_->device(static_cast<int>(i)));
  }

 private:
  void open() {
    asked_ = true;
    auto opened = library_.empty() ? fail(ErrorCode::unavailable, "not asked for") : Nvml::open(library_);
    const int count = opened ? (*opened)->device_count() : 0;
    for (int i = 0; i < count; ++i) devices_.emplace_back(*recorder_, gpu_target(i));
    if (count > 0) {
      nvml_ = *std::move(opened);
      return;
    }
    devices_.emplace_back(*recorder_, std::string(target::gpu))
        .unavailable(opened ? "the NVIDIA driver sees no device" : opened.error().message);
  }

  std::string library_;
  Recorder* recorder_;
  bool asked_ = false;
  std::unique_ptr<Nvml> nvml_;
  std::vector<Device> devices_;
};

}  // namespace

SourcePtr gpus(const Subject& subject, Recorder& recorder) {
  return std::make_unique<Gpus>(subject, recorder);
}

}  // namespace neph::host
