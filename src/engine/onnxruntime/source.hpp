// Where a session's model comes from: its file, or bytes that stand for it.
#pragma once

#include <string>

#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {

struct Source {
  std::string file;
  std::string changed;  ///< its bytes with other shapes of inputs; empty: as the file has them
};

/// Throws Ort::Exception.
Ort::Session read_source(const Ort::Env& env, const Source& source, Ort::SessionOptions& options);

}  // namespace neph::engine::onnxruntime_plugin
