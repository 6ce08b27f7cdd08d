#include "engine/torch/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <dlfcn.h>
#include <fmt/ranges.h>

#include "engine/runtimes.hpp"
#include "os/file.hpp"
#include "os/plugin.hpp"

namespace neph::engine::torch_plugin {
namespace {

namespace fs = std::filesystem;

/// Where this plugin lies.
fs::path own_file() {
  Dl_info about{};
  static const char inside = 0;
  return dladdr(&inside, &about) != 0 && about.dli_fname != nullptr ? about.dli_fname : "";
}

/// A bundle has no ./dev, but a folder of its own for what pip brings.
std::string how_to_get_one() {
  const auto line = own_bundle().empty() ? std::string() : line_to_get(own_file());
  return fmt::format("{}, or give an environment that has torch 2.10 or later with --engine-path",
                     line.empty() ? "run ./dev setup train" : "get it with " + line);
}

bool has_library(const fs::path& folder) {
  std::error_code absent;
  return fs::exists(folder / "lib/libtorch_cpu.so", absent);
}

/// Opens CUDA's part, before anything asks libtorch for it: the answer is kept. Gives the reason where it
/// fails.
std::string open_cuda(const fs::path& folder) {
  const auto file = folder / "lib/libtorch_cuda.so";
  std::error_code absent;
  if (!fs::exists(file, absent))
    return fmt::format("{} is not there: this torch is for CPUs only", file.string());
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) return loader_reason();
  return {};
}

/// The name of a function that the library lacks; empty: it has all.
std::string find_functions(void* library, Abi& abi) {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr) missing = name;
    std::memcpy(&function, &found, sizeof found);
  };
  find(abi.set_thread_count, "_ZN2at15set_num_threadsEi");
  missing.clear();  // without that one the number of threads stays as it is
#define NEPH_TORCH_FIND(Returns, name, parameters) find(abi.name, "aoti_torch_" #name);
  NEPH_TORCH_FUNCTIONS(NEPH_TORCH_FIND)
#undef NEPH_TORCH_FIND
  return missing;
}

Result<Library> open_in(const fs::path& folder) {
  Library library{.abi = {}, .folder = folder, .version = package_version(folder), .no_cuda = {}};
  const auto named = fmt::format("torch {} in {}", library.version, folder.string());
  void* opened = dlopen((folder / "lib/libtorch_cpu.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr)
    return fail(ErrorCode::unsupported, "{} cannot be opened: {}", named, loader_reason());
  if (const auto missing = find_functions(opened, library.abi); !missing.empty())
    return fail(ErrorCode::unsupported, "{} cannot be used: it has no function {}, which torch 2.10 has",
                named, missing);
  library.no_cuda = open_cuda(folder);
  return library;
}

/// Before 2.10, which has what the plugin needs. Told from the package's own words: two libtorch in one
/// process would take each other's symbols, so none is opened that cannot be used.
bool is_too_old(const std::string& version) {
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2) return false;
  return major < 2 || (major == 2 && minor < 10);
}

}  // namespace

std::string package_version(const fs::path& folder) {
  const auto text = read_file(folder / "version.py");
  if (!text) return {};
  const auto at = text->find("__version__ = '");
  if (at == std::string::npos) return {};
  const auto begin = at + std::string_view("__version__ = '").size();
  const auto end = text->find('\'', begin);
  return end == std::string::npos ? std::string{} : text->substr(begin, end - begin);
}

std::vector<fs::path> torch_folders(const fs::path& place) {
  std::vector<fs::path> found;
  std::vector<fs::path> candidates{place};
  if (place.filename() == "lib") candidates.push_back(place.parent_path());
  for (const auto& packages : package_folders(place)) candidates.push_back(packages / "torch");
  for (const auto& candidate : candidates)
    if (has_library(candidate)) found.push_back(candidate);
  return found;
}

std::vector<fs::path> find_torch_folders() {
  const auto asked = asked_environment();
  if (!asked.empty())
    if (auto found = torch_folders(asked); !found.empty()) return found;
  std::vector<fs::path> found;
  for (const auto& environment : environments_with_python())
    for (auto& folder : torch_folders(environment))
      if (std::ranges::find(found, folder) == found.end()) found.push_back(std::move(folder));
  return found;
}

Result<Library> open_library() {
  const auto folders = find_torch_folders();
  if (folders.empty()) return fail(ErrorCode::not_found, "torch is not found here; {}", how_to_get_one());
  std::vector<std::string> reasons;
  for (const auto& folder : folders) {
    if (const auto version = package_version(folder); is_too_old(version)) {
      reasons.push_back(
          fmt::format("torch {} in {} is too old: 2.10 or later is needed", version, folder.string()));
      continue;
    }
    auto library = open_in(folder);
    if (library) return library;
    reasons.push_back(library.error().message);
  }
  return fail(ErrorCode::unsupported, "{}; {}", fmt::join(reasons, "; "), how_to_get_one());
}

}  // namespace neph::engine::torch_plugin
