// ONNX Runtime's library: found in Python environments, opened by its file, never linked.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "engine/onnxruntime/api.hpp"
#include "engine/onnxruntime/log.hpp"

namespace neph::engine::onnxruntime_plugin {

struct Library {
  std::filesystem::path file;
  std::string version;                 ///< "1.32.0"
  std::vector<std::string> providers;  ///< that it was built with: "CPUExecutionProvider"
  std::unique_ptr<ErrorLog> log;       ///< the environment's
  std::unique_ptr<Ort::Env> env;       ///< last: it uses the log
};

/// The first that can be opened, in the order of runtimes.hpp; of --engine-path, where that has one, no
/// other; afterwards all of Ort:: works. Errors: not_found (no environment has it), unsupported (it cannot be
/// opened, or is older than the header).
Result<Library> open_library();

}  // namespace neph::engine::onnxruntime_plugin
