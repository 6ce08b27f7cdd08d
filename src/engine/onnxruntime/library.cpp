#include "engine/onnxruntime/library.hpp"

#include <algorithm>
#include <cstdio>
#include <system_error>

#include <dlfcn.h>
#include <fmt/ranges.h>

#include "engine/runtimes.hpp"
#include "os/plugin.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_begin = "libonnxruntime.so";

/// libonnxruntime.so, or with its version behind it, which PyPI's package has alone.
std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder, absent))
    if (entry.path().filename().string().starts_with(file_begin)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

/// It tells on stderr what it is asked for and does not have.
bool is_old(const std::string& version) {
  int minor = 0;
  return std::sscanf(version.c_str(), "1.%d.", &minor) == 1 && minor < ORT_API_VERSION;
}

Result<Library> open_file(const fs::path& file) {
  void* opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr)
    return fail(ErrorCode::unsupported, "{} cannot be opened: {}", file.string(), loader_reason());
  auto* const base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(opened, "OrtGetApiBase"));
  if (base == nullptr)
    return fail(ErrorCode::unsupported, "{} has no OrtGetApiBase: it is no ONNX Runtime", file.string());
  const auto* const api = is_old(base()->GetVersionString()) ? nullptr : base()->GetApi(ORT_API_VERSION);
  if (api == nullptr) {
    auto error = fail(ErrorCode::unsupported, "{} is ONNX Runtime {}: 1.{} or later is needed", file.string(),
                      base()->GetVersionString(), ORT_API_VERSION);
    dlclose(opened);
    return error;
  }
  Ort::InitApi(api);
  Library library{
      .file = file, .version = base()->GetVersionString(), .providers = Ort::GetAvailableProviders()};
  library.log = std::make_unique<ErrorLog>();  // on stderr nobody asked for it
  library.env =
      std::make_unique<Ort::Env>(ORT_LOGGING_LEVEL_ERROR, "neph", ErrorLog::hear, library.log.get());
  return library;
}

}  // namespace

Result<Library> open_library() {
  std::vector<std::string> reasons;
  const auto asked = asked_environment();
  for (const auto& environment : python_environments()) {
    for (const auto& folder : runtime_folders("onnxruntime", {environment}))
      for (const auto& file : libraries_in(folder)) {
        auto library = open_file(file);
        if (library) return library;
        reasons.push_back(library.error().message);
      }
    if (environment == asked && !reasons.empty()) break;  // nobody asked for another
  }
  if (reasons.empty()) return fail(ErrorCode::not_found, "there is no package onnxruntime");
  return fail(ErrorCode::unsupported, "{}", fmt::join(reasons, "; "));
}

}  // namespace neph::engine::onnxruntime_plugin
