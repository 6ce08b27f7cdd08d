// ONNX Runtime's execution providers: what they are called, which device each computes on, and how one is
// started.
//
// (Nothing of the GPUs' has been tried but how it fails.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/onnxruntime/device.hpp"

namespace neph::engine::onnxruntime_plugin {

struct Provider {
  std::string_view name;    ///< as Options::provider takes it
  std::string_view theirs;  ///< ONNX Runtime's
  bool of_gpu = false;
  std::string_view package;  ///< of PyPI, that has a library with it
};

/// Those of the processor or of NVIDIA's GPUs that the library was built with, the usual one first.
std::vector<std::string> provider_names(const Library& library, bool of_gpu);

/// Ours of one of ONNX Runtime's: "cpu" of "CPUExecutionProvider"; of one that is not ours its own.
std::string_view short_name(std::string_view theirs);

/// Of a place, by its name here or ONNX Runtime's, any case; "": the usual one. Errors: not_found (no such
/// provider; the nearest one), unsupported (the library lacks it; which package has it), invalid_argument
/// (another device's).
Result<Provider> find_provider(const Library& library, const Place& place, std::string_view wanted);

/// Has sessions of these options compute by the provider, on `threads` of the processor where it is one.
/// Libraries that it needs, and the system's loader does not find, are loaded from Python environments.
/// Errors: unsupported, with ONNX Runtime's reason and the package that has what is missing.
Status use_provider(const Library& library, const Place& place, const Provider& provider,
                    std::int64_t threads, Ort::SessionOptions& options);

}  // namespace neph::engine::onnxruntime_plugin
