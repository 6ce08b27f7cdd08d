#include "engine/onnxruntime/needed_library.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>

#include "engine/runtimes.hpp"
#include "os/plugin.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

namespace fs = std::filesystem;

struct Bringer {
  std::string_view library;     ///< how its name begins
  std::string_view of_cuda_12;  ///< packages
  std::string_view of_cuda_13;
};
constexpr std::array bringers{
    Bringer{"libcudart", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime"},
    Bringer{"libcublas", "nvidia-cublas-cu12", "nvidia-cublas"},
    Bringer{"libcufft", "nvidia-cufft-cu12", "nvidia-cufft"},
    Bringer{"libcurand", "nvidia-curand-cu12", "nvidia-curand"},
    Bringer{"libnvrtc", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc"},
    Bringer{"libnvJitLink", "nvidia-nvjitlink-cu12", "nvidia-nvjitlink"},
    Bringer{"libcudnn", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"},
    Bringer{"libnvinfer", "'tensorrt-cu12-libs<11'", "'tensorrt-cu13-libs<11'"},
    Bringer{"libnvonnxparser", "'tensorrt-cu12-libs<11'", "'tensorrt-cu13-libs<11'"}};

constexpr std::array by_name{"libcudnn.so.9",  "libcufft.so.11",     "libcufft.so.12",    "libnvrtc.so.12",
                             "libnvrtc.so.13", "libnvJitLink.so.12", "libnvJitLink.so.13"};

bool is_loaded(const char* library) {
  return dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != nullptr;
}

/// Of the provider that lacks a library: by that library's own number, or by what was loaded before it.
bool is_of_cuda_12(std::string_view library) {
  const bool is_cudas =
      library.starts_with("libcudart") || library.starts_with("libcublas") || library.starts_with("libnvrtc");
  if (is_cudas) return library.ends_with(".12");
  return is_loaded("libcublas.so.12") || is_loaded("libcudart.so.12");
}

bool load(const std::string& library, std::set<std::string>& under_way);

/// A file, and before it what it lacks.
bool load_file(const fs::path& file, std::set<std::string>& under_way) {
  for (std::string before;;) {
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
    const auto missing = missing_library(loader_reason());
    if (missing.empty() || missing == before || !load(missing, under_way)) return false;
    before = missing;
  }
}

/// `under_way`: libraries that wait for this one, which cannot wait for them.
bool load(const std::string& library, std::set<std::string>& under_way) {
  if (!under_way.insert(library).second) return false;
  std::error_code absent;
  for (const auto& folder : nvidia_folders(python_environments()))
    if (const auto file = folder / library; fs::exists(file, absent) && load_file(file, under_way))
      return true;
  return false;
}

}  // namespace

std::string missing_library(std::string_view reason) {
  const auto end = reason.find(": cannot open shared object file");
  if (end == std::string_view::npos) return {};
  const auto before = reason.substr(0, end);
  const auto begin = before.find_last_of(" :");
  return std::string(begin == std::string_view::npos ? before : before.substr(begin + 1));
}

bool load_from_environments(const std::string& library) {
  std::set<std::string> under_way;
  return load(library, under_way);
}

std::vector<fs::path> nvrtc_builtins(const std::vector<fs::path>& folders) {
  std::vector<fs::path> found;
  std::error_code absent;
  for (const auto& folder : folders)
    for (const auto& entry : fs::directory_iterator(folder, absent))
      if (entry.path().filename().string().starts_with("libnvrtc-builtins.so")) found.push_back(entry.path());
  return found;
}

void load_what_is_opened_by_name() {
  for (const char* library : by_name)
    if (!is_loaded(library)) load_from_environments(library);
  for (const auto& file : nvrtc_builtins(nvidia_folders(python_environments())))
    (void)dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::string what_is_missing(const std::string& library) {
  if (library.starts_with("libcuda.so"))
    return fmt::format("{} is missing, which NVIDIA's driver brings: install that", library);
  const auto found =
      std::ranges::find_if(bringers, [&](const auto& each) { return library.starts_with(each.library); });
  if (found == bringers.end()) return fmt::format("{} is missing", library);
  return fmt::format(
      "{} is missing; get it with python3 -m pip install --no-deps {}, in the environment of onnxruntime",
      library, is_of_cuda_12(library) ? found->of_cuda_12 : found->of_cuda_13);
}

}  // namespace neph::engine::onnxruntime_plugin
