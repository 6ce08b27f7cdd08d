// Shared libraries of our own that are loaded when they are asked for: engines, gRPC.
//
// A plugin exports one C function that makes its object; the number in the function's name changes with the
// interface, so that a plugin of another version is refused by name instead of crashing.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace neph {

/// Where the running program lies.
std::filesystem::path program_folder();
/// The folder of the bundle (ADR 17) that the program runs out of; empty: it runs out of none.
std::filesystem::path own_bundle();

/// Loads `file` and finds the function `symbol` in it. `what` is its name in messages: "engine 'openvino'".
/// Errors: unsupported, with the loader's reason. The library stays in the process to its end: its code is
/// behind every object that it makes, runtimes keep threads and exit handlers of their own in it, and
/// unloading it could gain only memory. A library that it needs, and that the system's loader does not find,
/// is looked for by its name in `folders`, in their order.
Result<void*> plugin_function(std::string_view what, const std::filesystem::path& file, const char* symbol,
                              const std::vector<std::filesystem::path>& folders = {});

/// Why the last dlopen() or dlsym() of this thread failed; it names the library itself.
std::string loader_reason();

/// The first of the folders from which this process has loaded a library; empty: none.
std::filesystem::path loaded_from(const std::vector<std::filesystem::path>& folders);

/// The object that the plugin makes. Errors: as above, and what its constructor throws.
template <class Made>
Result<std::unique_ptr<Made>> load_plugin(std::string_view what, const std::filesystem::path& file,
                                          const char* symbol,
                                          const std::vector<std::filesystem::path>& folders = {}) {
  NEPH_TRY(void* const function, plugin_function(what, file, symbol, folders));
  try {
    return std::unique_ptr<Made>(reinterpret_cast<Made* (*)()>(function)());
  } catch (const std::exception& error) {
    return fail(ErrorCode::unsupported, "{} does not start here: {} ({})", what, error.what(), file.string());
  }
}

}  // namespace neph
