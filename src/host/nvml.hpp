// NVIDIA's management library, loaded when asked for: a machine without a GPU needs nothing of it, and the
// build needs none of its headers. Types and numbers follow the NVML API reference (nvml.h), which keeps them
// stable across driver versions; functions are those every driver since 2012 (_v2) has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/result.hpp"

namespace neph::host {

struct NvmlApi;

struct GpuMemory {
  std::uint64_t total = 0;  ///< bytes
  std::uint64_t used = 0;
};

/// Why a GPU's clock is lower than asked for: bits of nvmlClocksThrottleReasons.
inline constexpr std::uint64_t throttled_by_power_bits = 0x4 | 0x80;  ///< software power cap, power brake
inline constexpr std::uint64_t throttled_by_heat_bits =
    0x20 | 0x40;  ///< software and hardware thermal slowdown

/// One device. Each answer fails alone (unsupported: this device does not say). Valid while its Nvml lives.
class NvmlDevice {
 public:
  Result<std::string> name() const;
  Result<GpuMemory> memory() const;
  Result<double> utilisation_percent() const;  ///< of the last 1/6 to 1 s, as the driver averages
  Result<double> power_watt() const;
  Result<double> clock_sm_hz() const;
  Result<double> temperature_celsius() const;
  Result<std::uint64_t> throttle_reasons() const;

 private:
  friend class Nvml;
  NvmlDevice(const NvmlApi& api, void* handle) : api_(&api), handle_(handle) {}
  const NvmlApi* api_;
  void* handle_;  ///< null: the driver would not give the device
};

class Nvml {
 public:
  /// `library`: name or path. Errors: unavailable ("no NVIDIA driver (...)", or the driver's own words).
  /// Cost: microseconds without a driver; tens of milliseconds with one, seconds if no other program uses it.
  static Result<std::unique_ptr<Nvml>> open(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::optional<std::string> driver_version() const;
  int device_count() const { return device_count_; }
  NvmlDevice device(int index) const;

 private:
  explicit Nvml(std::unique_ptr<NvmlApi> api);
  std::unique_ptr<NvmlApi> api_;
  int device_count_ = 0;
};

}  // namespace neph::host
