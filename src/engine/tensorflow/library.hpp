// TensorFlow's library: found in Python environments, opened by its file, never linked.
#pragma once

#include <filesystem>
#include <string>

#include "core/result.hpp"
#include "engine/tensorflow/c_api.hpp"

namespace neph::engine::tensorflow_plugin {

struct Library {
  std::filesystem::path file;
  std::string version;  ///< "2.21.0"
  Api api{};
};

/// The first that can be opened, in the order of runtimes.hpp; if --engine-path has one, no other. Sets
/// environment variables: call it before there are threads. Errors: not_found (no environment has it),
/// unsupported (it cannot be opened, or lacks a function).
Result<Library> open_library();

}  // namespace neph::engine::tensorflow_plugin
