// Where a session's model comes from: its file, or bytes that stand for it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/onnxruntime/api.hpp"
#include "engine/onnxruntime/onnx_file.hpp"

namespace neph::engine::onnxruntime_plugin {

/// The files with a model's external data, by their names in it. Sessions that are given them point into
/// them.
using FilesBeside = std::map<std::string, FileBytes>;

/// Those that can be had and lie in the model's folder, as ONNX Runtime wants it.
std::shared_ptr<const FilesBeside> files_beside(const std::filesystem::path& model, Weights weights);

struct Source {
  std::string file;
  std::string bytes{};       ///< that stand for it; empty: the file itself
  bool is_reshaped = false;  ///< its inputs have other shapes than the file says
  Weights weights = Weights::mapped;
  std::shared_ptr<const FilesBeside> beside{};  ///< outlives the sessions
};

/// Throws Ort::Exception, and std::runtime_error where the bytes need a file that is not beside the model.
Ort::Session read_source(const Ort::Env& env, const Source& source, Ort::SessionOptions& options);

}  // namespace neph::engine::onnxruntime_plugin
