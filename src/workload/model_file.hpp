// Which file a run's model is: the one that was named, or one made from a network's name.
#pragma once

#include <filesystem>

#include "core/result.hpp"
#include "workload/infer_spec.hpp"

namespace neph::workload {

/// The model's file: spec.model itself if it is a path (it has a '/' or a suffix, or there is such a file),
/// else the ONNX file of the network of that name in the cache folder, written now if it is not there.
/// Errors: not_found (neither a file nor a network; with the nearest known name), those of writing the file.
Result<std::filesystem::path> model_file(const InferSpec& spec);

}  // namespace neph::workload
