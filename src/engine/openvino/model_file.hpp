// What a model file looks like from outside, before a runtime sees it. OpenVINO offers a file that one of its
// readers refuses to all the others, which then write their complaints to stderr; so what can be told from
// names, first bytes and lengths is told here, in one line. Threads: any. Cost: some kilobytes read, whatever
// the size of the file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::engine {

struct ModelFormat {
  std::string suffix;  ///< ".onnx"; empty: a folder (TensorFlow SavedModel)
  std::string reader;  ///< OpenVINO's name of the frontend that reads it
  std::string title;   ///< for messages
};

/// All that can be read.
const std::vector<ModelFormat>& model_formats();

/// The format of the file, by its name and its first bytes. Errors: not_found, unavailable (permission),
/// unsupported (suffix), corrupt (empty, cut short, another content than its name says).
Result<ModelFormat> recognise_model(const std::filesystem::path& path);

}  // namespace neph::engine
