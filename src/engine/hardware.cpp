#include "engine/hardware.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <type_traits>

#include <dlfcn.h>

#include "os/cores.hpp"

namespace neph::engine {
namespace {

/// CUDA's driver, as far as it is asked here: its own C functions, which do not change.
struct Driver {
  int (*init)(unsigned) = nullptr;
  int (*count)(int*) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
};

constexpr int compute_capability_major = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR

Result<Driver> open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fail(ErrorCode::not_found, "there is no driver of NVIDIA's GPUs (libcuda.so.1)");
  Driver driver;
  const auto find = [&](const char* symbol, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    return function != nullptr;
  };
  if (!find("cuInit", driver.init) || !find("cuDeviceGetCount", driver.count) ||
      !find("cuDeviceGetName", driver.name) || !find("cuDeviceGetAttribute", driver.attribute))
    return fail(ErrorCode::unsupported, "libcuda.so.1 lacks a function that every driver has");
  if (const int code = driver.init(0); code != 0)
    return fail(ErrorCode::unavailable, "NVIDIA's driver does not start (error {})", code);
  return driver;
}

}  // namespace

std::string processor_line(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos || colon + 2 > line.size()) continue;
    return line.substr(colon + 2);
  }
  return {};
}

std::string processor_name() {
  auto name = processor_line("model name");
  return name.empty() ? "processor" : name;
}

std::int64_t usable_threads(std::int64_t wanted) { return wanted > 0 ? wanted : usable_cores(); }

Result<std::vector<Gpu>> nvidia_gpus() {
  NEPH_TRY(const auto driver, open_driver());
  int count = 0;
  if (driver.count(&count) != 0 || count == 0)
    return fail(ErrorCode::not_found, "NVIDIA's driver finds no GPU");
  std::vector<Gpu> gpus;
  for (int i = 0; i < count; ++i) {
    std::array<char, 256> name{};
    Gpu gpu;
    if (driver.name(name.data(), static_cast<int>(name.size()) - 1, i) == 0) gpu.name = name.data();
    int major = 0;
    if (driver.attribute(&major, compute_capability_major, i) == 0) gpu.compute_capability_major = major;
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

bool computes_in_tf32(const Gpu& gpu) {
  constexpr int ampere = 8;
  const char* said = std::getenv("NVIDIA_TF32_OVERRIDE");
  return gpu.compute_capability_major >= ampere && !(said != nullptr && std::string_view(said) == "0");
}

std::string device_name_of(std::string_view wanted) {
  std::string name(wanted);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name == "CUDA" ? "CUDA:0" : name;
}

}  // namespace neph::engine
