#include "engine/torch/device.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include <dlfcn.h>

#include "core/names.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// A line of /proc/cpuinfo: "model name", "flags".
std::string processor_line(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos || colon + 2 > line.size()) continue;
    return line.substr(colon + 2);
  }
  return {};
}

Place processor(const Library& library) {
  const auto name = processor_line("model name");
  Place place{.device = {.name = "CPU",
                         .description = name.empty() ? "processor" : name,
                         .precisions = {Precision::f32}},
              .type = library.abi.cpu()};
  const auto flags = " " + processor_line("flags") + " ";
  if (flags.find(" avx512_bf16 ") != std::string::npos || flags.find(" amx_bf16 ") != std::string::npos)
    place.device.precisions.push_back(Precision::bf16);
  return place;
}

/// CUDA's driver, as far as it is asked here: its own C functions, which do not change.
struct Driver {
  int (*init)(unsigned) = nullptr;
  int (*count)(int*) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
};

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

constexpr int compute_capability_major = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR

Result<std::vector<Place>> gpus(const Library& library) {
  if (!library.no_cuda.empty()) return fail(ErrorCode::unsupported, "{}", library.no_cuda);
  NEPH_TRY(const auto driver, open_driver());
  int count = 0;
  if (driver.count(&count) != 0 || count == 0)
    return fail(ErrorCode::not_found, "NVIDIA's driver finds no GPU");
  std::vector<Place> places;
  for (int i = 0; i < count; ++i) {
    std::array<char, 256> name{};
    int major = 0;
    if (driver.name(name.data(), static_cast<int>(name.size()) - 1, i) != 0) continue;
    Place place{.device = {.name = fmt::format("CUDA:{}", i),
                           .description = name.data(),
                           .precisions = {Precision::f32}},
                .type = library.abi.cuda(),
                .index = i};
    if (driver.attribute(&major, compute_capability_major, i) == 0 && major >= 8)
      place.device.precisions.push_back(Precision::bf16);
    places.push_back(std::move(place));
  }
  return places;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

}  // namespace

std::vector<Place> find_places(const Library& library) {
  std::vector<Place> places{processor(library)};
  if (auto more = gpus(library))
    for (auto& place : *more) places.push_back(std::move(place));
  return places;
}

Result<Place> find_place(const Library& library, const std::string& name) {
  const auto wanted = upper(name) == "CUDA" ? std::string("CUDA:0") : upper(name);
  std::vector<std::string> names;
  for (auto& place : find_places(library)) {
    if (place.device.name == wanted) return place;
    names.push_back(place.device.name);
  }
  if (wanted.starts_with("CUDA"))
    if (const auto none = gpus(library); !none)
      return fail(ErrorCode::not_found, "device '{}': torch computes on no GPU here: {}", name,
                  none.error().message);
  return unknown_name(ErrorCode::not_found, "device", name, names, "torch on this machine");
}

}  // namespace neph::engine::torch_plugin
