// Inference by ONNX Runtime: the model's file as it is, by the providers of its library.
//
// What it does not do: sequences and maps, but for those that ZipMap makes at the end of a classifier
// (zip_map.hpp). Dimensions that the file fixes are changed in a copy of its bytes (onnx_file.hpp).
//
// Threads: as engine.hpp says. Each of a session's streams has an ONNX Runtime session of its own, with its
// part of the threads asked for: of as many inferences in flight as there are streams none shares a thread.
// Ownership: each session has weights of its own, but for external data, which they share.
// Cost: load() reads the file to know its inputs and outputs, and compile() reads it again for each stream.
// Owned external data is read once, and stays beside what ONNX Runtime makes of it (packed matrices).
#pragma once

#include <filesystem>
#include <memory>

#include "engine/engine.hpp"
#include "engine/onnxruntime/library.hpp"

namespace neph::engine::onnxruntime_plugin {

/// Errors: not_found, corrupt, unsupported (operators, versions, types of inputs and outputs), with ONNX
/// Runtime's reason.
Result<std::unique_ptr<Model>> load_model(const Library& library, const std::filesystem::path& path,
                                          Weights weights);

}  // namespace neph::engine::onnxruntime_plugin
