#include "host/nvml.hpp"

#include <array>

#include <dlfcn.h>

namespace neph::host {

// The part of nvml.h that is used here.
struct NvmlUtilization {
  unsigned gpu;
  unsigned memory;
};
struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
using NvmlReturn = int;
using NvmlHandle = void*;
constexpr NvmlReturn nvml_success = 0;
constexpr int nvml_clock_sm = 1;
constexpr int nvml_temperature_gpu = 0;
constexpr unsigned nvml_name_length = 96;
constexpr unsigned nvml_version_length = 80;

struct NvmlApi {
  void* library = nullptr;
  NvmlReturn (*init)() = nullptr;
  NvmlReturn (*shutdown)() = nullptr;
  const char* (*error_string)(NvmlReturn) = nullptr;
  NvmlReturn (*driver_version)(char*, unsigned) = nullptr;
  NvmlReturn (*device_count)(unsigned*) = nullptr;
  NvmlReturn (*device_by_index)(unsigned, NvmlHandle*) = nullptr;
  NvmlReturn (*name)(NvmlHandle, char*, unsigned) = nullptr;
  NvmlReturn (*memory)(NvmlHandle, NvmlMemory*) = nullptr;
  NvmlReturn (*utilization)(NvmlHandle, NvmlUtilization*) = nullptr;
  NvmlReturn (*power)(NvmlHandle, unsigned*) = nullptr;
  NvmlReturn (*clock)(NvmlHandle, int, unsigned*) = nullptr;
  NvmlReturn (*temperature)(NvmlHandle, int, unsigned*) = nullptr;
  NvmlReturn (*throttle_reasons)(NvmlHandle, unsigned long long*) = nullptr;

  bool initialised = false;

  NvmlApi() = default;
  NvmlApi(const NvmlApi&) = delete;
  NvmlApi& operator=(const NvmlApi&) = delete;
  ~NvmlApi() {
    if (initialised) shutdown();
    if (library != nullptr) ::dlclose(library);
  }

  /// Finds every function, or names the one that is missing.
  Status load(const std::string& name_or_path);
  std::string text(NvmlReturn code) const {
    const char* words = error_string(code);
    return words != nullptr ? words : fmt::format("error {}", code);
  }
};

namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Error no_access() { return {ErrorCode::unavailable, "the NVIDIA driver does not give access to the device"}; }

/// Asks one question: `call` fills an Answer and returns the library's code.
template <class Answer, class Call>
Result<Answer> ask(const NvmlApi& api, NvmlHandle handle, const char* what, Call call) {
  if (handle == nullptr) return tl::unexpected(no_access());
  Answer answer{};
  if (const auto code = call(&answer); code != nvml_success)
    return fail(ErrorCode::unsupported, "{}: {}", what, api.text(code));
  return answer;
}

}  // namespace

Status NvmlApi::load(const std::string& name_or_path) {
  library = ::dlopen(name_or_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    return fail(ErrorCode::unavailable, "no NVIDIA driver ({})", reason != nullptr ? reason : name_or_path);
  }
  const char* missing = nullptr;
  const auto need = [&](const char* symbol, auto& function) {
    if (!find(library, symbol, function) && missing == nullptr) missing = symbol;
  };
  need("nvmlInit_v2", init);
  need("nvmlShutdown", shutdown);
  need("nvmlErrorString", error_string);
  need("nvmlSystemGetDriverVersion", driver_version);
  need("nvmlDeviceGetCount_v2", device_count);
  need("nvmlDeviceGetHandleByIndex_v2", device_by_index);
  need("nvmlDeviceGetName", name);
  need("nvmlDeviceGetMemoryInfo", memory);
  need("nvmlDeviceGetUtilizationRates", utilization);
  need("nvmlDeviceGetPowerUsage", power);
  need("nvmlDeviceGetClockInfo", clock);
  need("nvmlDeviceGetTemperature", temperature);
  need("nvmlDeviceGetCurrentClocksThrottleReasons", throttle_reasons);
  if (missing != nullptr)
    return fail(ErrorCode::unavailable, "{} has no function {}: not NVIDIA's, or too old", name_or_path,
                missing);
  return {};
}

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& library) {
  auto api = std::make_unique<NvmlApi>();
  NEPH_CHECK(api->load(library));
  if (const auto code = api->init(); code != nvml_success)
    return fail(ErrorCode::unavailable, "the NVIDIA driver does not start: {}", api->text(code));
  api->initialised = true;
  unsigned count = 0;
  if (const auto code = api->device_count(&count); code != nvml_success)
    return fail(ErrorCode::unavailable, "the NVIDIA driver does not count its devices: {}", api->text(code));
  std::unique_ptr<Nvml> nvml(new Nvml(std::move(api)));
  nvml->device_count_ = static_cast<int>(count);
  return nvml;
}

Nvml::Nvml(std::unique_ptr<NvmlApi> api) : api_(std::move(api)) {}
Nvml::~Nvml() = default;

std::optional<std::string> Nvml::driver_version() const {
  char version[nvml_version_length] = {};
  if (api_->driver_version(version, nvml_version_length) != nvml_success) return std::nullopt;
  return std::string(version);
}

NvmlDevice Nvml::device(int index) const {
  NvmlHandle handle = nullptr;
  if (api_->device_by_index(static_cast<unsigned>(index), &handle) != nvml_success) handle = nullptr;
  return {*api_, handle};
}

Result<std::string> NvmlDevice::name() const {
  using Text = std::array<char, nvml_name_length + 1>;
  NEPH_TRY(const auto text, ask<Text>(*api_, handle_, "name", [&](Text* out) {
             return api_->name(handle_, out->data(), nvml_name_length);
           }));
  return std::string(text.data());
}

Result<GpuMemory> NvmlDevice::memory() const {
  NEPH_TRY(const auto memory, ask<NvmlMemory>(*api_, handle_, "memory",
                                              [&](NvmlMemory* out) { return api_->memory(handle_, out); }));
  return GpuMemory{.total = memory.total, .used = memory.used};
}

Result<double> NvmlDevice::utilisation_percent() const {
  NEPH_TRY(const auto rates, ask<NvmlUtilization>(*api_, handle_, "utilisation", [&](NvmlUtilization* out) {
             return api_->utilization(handle_, out);
           }));
  return rates.gpu;
}

Result<double> NvmlDevice::power_watt() const {
  NEPH_TRY(const auto milliwatt,
           ask<unsigned>(*api_, handle_, "power", [&](unsigned* out) { return api_->power(handle_, out); }));
  return milliwatt * 1e-3;
}

Result<double> NvmlDevice::clock_sm_hz() const {
  NEPH_TRY(const auto megahertz, ask<unsigned>(*api_, handle_, "clock", [&](unsigned* out) {
             return api_->clock(handle_, nvml_clock_sm, out);
           }));
  return megahertz * 1e6;
}

Result<double> NvmlDevice::temperature_celsius() const {
  NEPH_TRY(const auto celsius, ask<unsigned>(*api_, handle_, "temperature", [&](unsigned* out) {
             return api_->temperature(handle_, nvml_temperature_gpu, out);
           }));
  return celsius;
}

Result<std::uint64_t> NvmlDevice::throttle_reasons() const {
  return ask<unsigned long long>(*api_, handle_, "throttle reasons", [&](unsigned long long* out) {
    return api_->throttle_reasons(handle_, out);
  });
}

}  // namespace neph::host
