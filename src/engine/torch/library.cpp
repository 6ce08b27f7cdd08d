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
  return fmt::format(
      "{}, or give the folder of an environment that has torch 2.10 or later with --engine-path or "
      "NEPH_TORCH",
      line.empty() ? "run ./dev setup train" : "get it with " + line);
}

bool has_library(const fs::path& folder) {
  std::error_code absent;
  return fs::exists(folder / "lib/libtorch_cpu.so", absent);
}

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// Environments of the `python3` that PATH has first: as it is named, which a virtual one needs, and where it
/// lies.
std::vector<fs::path> environments_of_path() {
  const char* path = variable("PATH");
  std::string_view left = path != nullptr ? path : "";
  std::error_code absent;
  while (!left.empty()) {
    const auto end = std::min(left.find(':'), left.size());
    const fs::path folder = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (folder.empty() || !fs::exists(folder / "python3", absent)) continue;
    const auto real = fs::canonical(folder / "python3", absent);
    return {folder.parent_path(), real.parent_path().parent_path()};
  }
  return {};
}

/// The environment that the program was installed into; a bundle's `python`; .venv-train and .venv beside the
/// program: in its folder, and in up to four around it, as build/release/bin lies.
std::vector<fs::path> environments_beside() {
  std::vector<fs::path> places;
  if (auto own = environment_of(program_folder()); !own.empty()) places.push_back(std::move(own));
  if (const auto bundle = own_bundle(); !bundle.empty()) places.push_back(bundle / "python");
  auto folder = program_folder();
  for (int i = 0; i < 5 && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    places.push_back(folder / ".venv-train");
    places.push_back(folder / ".venv");
  }
  return places;
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

Result<std::vector<fs::path>> find_torch_folders() {
  if (const char* given = variable("NEPH_TORCH")) {
    auto found = torch_folders(given);
    if (found.empty())
      return fail(ErrorCode::not_found,
                  "{}: there is no torch (lib/libtorch_cpu.so) in it, as NEPH_TORCH says", given);
    return found;
  }
  std::vector<fs::path> places;
  if (const char* given = variable("NEPH_ENGINE_PATH")) places.emplace_back(given);
  for (auto& place : environments_beside()) places.push_back(std::move(place));
  if (const char* active = variable("VIRTUAL_ENV")) places.emplace_back(active);
  for (auto& place : environments_of_path()) places.push_back(std::move(place));
  std::vector<fs::path> found;
  for (const auto& place : places)
    for (auto& folder : torch_folders(place))
      if (std::find(found.begin(), found.end(), folder) == found.end()) found.push_back(std::move(folder));
  return found;
}

Result<Library> open_library() {
  NEPH_TRY(const auto folders, find_torch_folders());
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
