// Where a session's model comes from: its file, or bytes that stand for it.
#pragma once

#include <string>

#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {

struct Source {
  std::string file;
  std::string bytes{};       ///< that stand for it; empty: the file itself
  bool is_reshaped = false;  ///< its inputs have other shapes than the file says
};

/// Throws Ort::Exception.
Ort::Session read_source(const Ort::Env& env, const Source& source, Ort::SessionOptions& options);

}  // namespace neph::engine::onnxruntime_plugin
