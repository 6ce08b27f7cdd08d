#include "os/plugin.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include <dlfcn.h>
#include <link.h>

namespace neph {
namespace {

namespace fs = std::filesystem;

/// The loader's reason without the plugin's own path, which our messages name already.
std::string reason_without(const std::filesystem::path& plugin) {
  auto reason = loader_reason();
  const auto own = plugin.string() + ": ";
  return reason.starts_with(own) ? reason.substr(own.size()) : reason;
}

/// The library that the loader's reason says is nowhere: "libx.so.1" of "libx.so.1: cannot open shared object
/// file: ...". Empty: the reason is another, or the file has a path and is none that we could look for.
std::string missing_library(std::string_view reason) {
  const auto name = reason.substr(0, reason.find(": cannot open shared object file"));
  return name.size() == reason.size() || name.find('/') != name.npos ? std::string() : std::string(name);
}

/// dlopen(), with the libraries that are missing from `folders`: once loaded, the loader takes a library for
/// whatever asks for its name. Ends, because every round loads one more. What was tried at last has its
/// reason in dlerror().
void* open_library(const fs::path& file, const std::vector<fs::path>& folders, std::string& reason) {
  for (std::string before;;) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reason = reason_without(file);
    const auto missing = missing_library(reason);
    if (missing.empty() || missing == before) return nullptr;
    before = missing;
    std::error_code absent;
    const auto holds = [&](const fs::path& folder) { return fs::exists(folder / missing, absent); };
    const auto found = std::find_if(folders.begin(), folders.end(), holds);
    if (found == folders.end() || open_library(*found / missing, folders, reason) == nullptr) return nullptr;
  }
}

}  // namespace

std::string loader_reason() {
  const char* text = dlerror();
  return text != nullptr ? text : "the loader gives no reason";
}

std::filesystem::path program_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path own_bundle() {
  const auto around = program_folder().parent_path();
  std::error_code absent;
  return fs::exists(around / "lib/neph/neph", absent) ? around : fs::path();
}

Result<void*> plugin_function(std::string_view what, const fs::path& file, const char* symbol,
                              const std::vector<fs::path>& folders) {
  std::string reason;
  void* library = open_library(file, folders, reason);
  if (library == nullptr)
    return fail(ErrorCode::unsupported, "{} cannot be loaded here: {} ({})", what, reason, file.string());
  void* function = dlsym(library, symbol);
  if (function == nullptr)
    return fail(ErrorCode::unsupported,
                "{} cannot be loaded here: {} does not export {}; it is none, or one of another version of "
                "neph: build it again",
                what, file.string(), symbol);
  return function;
}

fs::path loaded_from(const std::vector<fs::path>& folders) {
  std::set<fs::path> used;
  const auto note = [](dl_phdr_info* library, std::size_t, void* into) {
    static_cast<std::set<fs::path>*>(into)->insert(fs::path(library->dlpi_name).parent_path());
    return 0;
  };
  ::dl_iterate_phdr(note, &used);
  const auto found =
      std::find_if(folders.begin(), folders.end(), [&](auto& folder) { return used.contains(folder); });
  return found == folders.end() ? fs::path() : *found;
}

}  // namespace neph
