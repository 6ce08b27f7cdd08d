// Finds libtorch in a Python environment and opens it, without running Python.
//
// Looked for in engine::environments_with_python(), of which --engine-path may also be site-packages or
// torch's own folder.
//
// What it does not do: install, import, or judge what torch can compute.
// Threads: one. Ownership: what is opened stays in the process to its end.
// Cost: looking takes some milliseconds; opening libtorch 0.3 s and 200 MB of address space.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "engine/torch/abi.hpp"

namespace neph::engine::torch_plugin {

struct Library {
  Abi abi;
  std::filesystem::path folder;  ///< torch's own
  std::string version;           ///< "2.11.0+cu130", as the package says
  std::string no_cuda;           ///< why it computes on no GPU; empty: it can
};

/// Torch's folders that lie in `place`: an environment, a site-packages, or torch's folder itself.
std::vector<std::filesystem::path> torch_folders(const std::filesystem::path& place);

/// Those of --engine-path, where it has some; else of all environments that framework::find() looks in, too.
std::vector<std::filesystem::path> find_torch_folders();

/// The first that can be opened and is 2.10 or later. Errors: not_found (there is none: how to get one),
/// unsupported (why each cannot be used).
Result<Library> open_library();

/// "2.9.1" of version.py; empty where it says none.
std::string package_version(const std::filesystem::path& folder);

}  // namespace neph::engine::torch_plugin
