#include "os/plugin.hpp"

#include <string>
#include <system_error>

#include <dlfcn.h>

namespace neph {
namespace {

/// dlerror() without the plugin's own path, which our messages name already.
std::string loader_reason(const std::filesystem::path& plugin) {
  const char* text = dlerror();
  std::string reason = text != nullptr ? text : "no reason given";
  const auto own = plugin.string() + ": ";
  return reason.starts_with(own) ? reason.substr(own.size()) : reason;
}

}  // namespace

std::filesystem::path program_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

Result<void*> plugin_function(std::string_view what, const std::filesystem::path& file, const char* symbol) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fail(ErrorCode::unsupported, "{} cannot be loaded here: {} ({})", what, loader_reason(file),
                file.string());
  void* function = dlsym(library, symbol);
  if (function == nullptr)
    return fail(ErrorCode::unsupported,
                "{} cannot be loaded here: {} does not export {}; it is none, or one of another version of "
                "neph: build it again",
                what, file.string(), symbol);
  return function;
}

}  // namespace neph
